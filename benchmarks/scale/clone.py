"""Fills one table with the copies of its templates, as fast as one connection can, and builds its indexes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import psycopg
from psycopg import sql

from benchmarks.scale.templates import MARKER, VISITS

Tell = Callable[[str], None]

# A copy's own ID: the template's, with the relationship's number in its last 32 bits.
_ID = "(left(({column})::text, 28) || r.hex)::uuid"
_IN_JSON = f"replace(({{column}})::text, '{MARKER}', r.hex)::jsonb"
_ENTRY_ID = "({column}) || jsonb_build_object('id', left(({column}) ->> 'id', 28) || r.hex)"
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "memory_scratchpadentry": {"id": _ID},
    "memory_entryrevision": {"id": _ID, "entry_id": _ID, "after": _ENTRY_ID},
    "memory_searchtext": {"id": _ID, "owner_id": _ID},
    "memory_embedding": {"id": _ID, "owner_id": _ID},
    "relationships_turn": {"id": _ID},
    "relationships_message": {"id": _ID, "turn_id": _ID},
    "relationships_sessionstate": {"id": _ID},
    "relationships_snapshot": {"id": _ID, "scratchpad": _IN_JSON},
}
_COPY = """
INSERT INTO {table} ({names})
SELECT {values}
  FROM scale.number r JOIN scale.{table} t ON t.pattern = r.number %% {patterns}
 WHERE t.visit = %(visit)s AND r.number %% %(one_in)s = 0 AND r.number < %(below)s
"""
_NAMES = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
_CONSTRAINTS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE conrelid = %s::regclass AND contype IN ('p', 'u') ORDER BY contype
"""
_INDEXES = """
SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indrelid = %s::regclass AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.indexrelid)
"""
# Enough to sort twenty million keys; on a server of its own that does nothing else meanwhile.
_SETTINGS = {
    "maintenance_work_mem": "1GB",
    "max_parallel_maintenance_workers": "2",
    "work_mem": "256MB",
    "synchronous_commit": "off",
    "session_replication_role": "replica",  # twenty million foreign keys need not be looked up: they are drawn right
}


@dataclass(frozen=True, slots=True)
class Job:
    """One table. `one_in`: of so many relationships one has such rows; `below`: only those with lower numbers."""

    table: str
    below: int
    one_in: int = 1


def clone(job: Job, connection: "psycopg.Connection[tuple[str, ...]]", *, patterns: int, tell: Tell) -> None:
    """Empty the table and fill it, in one transaction: so nothing of it goes through the WAL. Then VACUUM ANALYZE.

    `connection` is to be in autocommit.
    """
    for name, value in _SETTINGS.items():
        connection.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
    with connection.transaction():
        keys = connection.execute(_CONSTRAINTS, [job.table]).fetchall()
        indexes = connection.execute(_INDEXES, [job.table]).fetchall()
        for name, _ in keys:
            _run(connection, f'ALTER TABLE {job.table} DROP CONSTRAINT "{name}"')
        for name, _ in indexes:
            _run(connection, f'DROP INDEX "{name}"')
        _run(connection, f"TRUNCATE {job.table}")
        statement = _statement(connection, job.table, patterns)
        for visit in range(VISITS):
            tell(f"{job.table}: rows, {visit + 1} of {VISITS}")
            values = {"visit": visit, "one_in": job.one_in, "below": job.below}
            connection.execute(statement, values)
        definitions = [f'ALTER TABLE {job.table} ADD CONSTRAINT "{name}" {text}' for name, text in keys]
        definitions += [text.replace(" ON ONLY ", " ON ") for _, text in indexes]
        tell(f"{job.table}: indexes")
        for definition in definitions:
            _run(connection, definition)
    tell(f"{job.table}: vacuum")
    _run(connection, f"VACUUM (ANALYZE, PARALLEL 0) {job.table}")


def _statement(connection: "psycopg.Connection[tuple[str, ...]]", table: str, patterns: int) -> sql.SQL:
    names = [name for (name,) in connection.execute(_NAMES, [table])]
    own = {"relationship_id": "r.relationship_id", "project_id": "r.project_id", **COLUMNS[table]}
    values = [own.get(name, "{column}").format(column=f't."{name}"') for name in names]
    quoted = ", ".join(f'"{name}"' for name in names)
    return sql.SQL(_COPY.format(table=table, names=quoted, values=", ".join(values), patterns=patterns))


def _run(connection: "psycopg.Connection[tuple[str, ...]]", statement: str) -> None:
    connection.execute(statement)
