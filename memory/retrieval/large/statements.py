"""What a large relationship's index is called, what it covers, and how it is made. No database here."""

from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from memory.models import IndexPurpose, LargeIndex

PREFIX = "large_"  # of every such index, and of nothing else
MOST_DIMENSIONS = {IndexPurpose.NEAREST: 4000, IndexPurpose.DECAY: 2000}  # pgvector's limits of HNSW

TABLES = {
    IndexPurpose.NEAREST: "memory_embedding",
    IndexPurpose.DECAY: "memory_decayfold",
    IndexPurpose.TEXT: "memory_searchtext",
}
_METHODS = {
    IndexPurpose.NEAREST: "hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops)",
    IndexPurpose.DECAY: "hnsw ((vector::vector({dimensions})) vector_ip_ops)",
    IndexPurpose.TEXT: "gin (lexemes)",
}


@dataclass(frozen=True, slots=True)
class IndexKey:
    """Whose index, over what. `model` and `dimensions` name the space; of text they are empty."""

    relationship_id: UUID
    kind: str
    purpose: str
    model: str = ""
    dimensions: int = 0


def key_of(row: LargeIndex) -> IndexKey:
    return IndexKey(row.relationship_id, row.kind, row.purpose, row.model, row.dimensions)


def index_name(purpose: str, row_id: UUID) -> str:
    return f"{PREFIX}{purpose}_{row_id.hex}"


def covered(key: IndexKey, alias: str = "") -> sql.Composed:
    """The condition of the index, with literals: only so does the planner see that a query is within it."""
    conditions: dict[str, object] = {"relationship_id": key.relationship_id}
    if key.purpose != IndexPurpose.DECAY:
        conditions["kind"] = str(key.kind)
    if key.purpose != IndexPurpose.TEXT:
        conditions |= {"model": key.model, "dimensions": key.dimensions}
    parts: list[sql.Composable] = [
        sql.SQL("{} = {}").format(_column(alias, name), sql.Literal(value))
        for name, value in conditions.items()
    ]
    if key.purpose == IndexPurpose.DECAY:
        parts.append(sql.SQL("NOT {}").format(_column(alias, "stale")))
    return sql.SQL(" AND ").join(parts)


def create(key: IndexKey, *, name: str, table: str) -> sql.Composed:
    """Beside readers and writers, on an autocommit connection. `table`: the partition that holds the rows."""
    method = _METHODS[IndexPurpose(key.purpose)].format(dimensions=int(key.dimensions))
    return sql.SQL("CREATE INDEX CONCURRENTLY {} ON {} USING {} WHERE {}").format(
        sql.Identifier(name), sql.Identifier(table), sql.SQL(method), covered(key)
    )


def drop(name: str) -> sql.Composed:
    return sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name))


def _column(alias: str, name: str) -> sql.Identifier:
    return sql.Identifier(alias, name) if alias else sql.Identifier(name)
