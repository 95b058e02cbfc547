"""The tables to distribute, in order, and which are done; what the nodes store. All of it is read from the database."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.apps import apps
from django.db import connection
from django.db.models import Model
from psycopg import sql

from config.postgresql.citus import REFERENCE_TABLES, ROOT_TABLE, distribution_of, is_distributed
from config.postgresql.sessions import execute

# A table with the foreign keys that are restored at the end. It exists from the first step to the last.
KEPT_KEYS = "rapport_distribution"
_HELD = """
SELECT nodename || ':' || nodeport, count(*), coalesce(sum(shard_size), 0)::bigint FROM citus_shards
 WHERE citus_table_type = 'distributed' GROUP BY 1 ORDER BY 1
"""


class Table(NamedTuple):
    """A table and the `statement` that distributes it. `bytes` includes indexes; `rows` and `bytes` are 0 if done."""

    name: str
    statement: str
    values: list[Any]
    done: bool
    rows: int
    bytes: int

    @property
    def copied(self) -> bool:
        """Whether it is a reference table, copied to every node."""
        return self.name in REFERENCE_TABLES


def tables() -> list[Table]:
    """The reference tables, then the table of relationships, then the tables that belong to it."""
    models: dict[str, type[Model]] = {model._meta.db_table: model for model in apps.get_models()}
    wanted = {name: distribution_of(model) for name, model in models.items()}
    first = {name: place for place, name in enumerate([*REFERENCE_TABLES, ROOT_TABLE])}
    names = [name for name, (statement, _) in wanted.items() if statement]
    names.sort(key=lambda name: (first.get(name, len(first)), name))
    citus = execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL")[0][0]
    distributed = execute("SELECT logicalrelid::text FROM pg_dist_partition") if citus else []
    done = {name for (name,) in distributed}
    return [Table(name, *wanted[name], name in done, *_measured(name, done)) for name in names]


def unfinished() -> bool:
    """Return whether a distribution was begun and not finished."""
    return bool(execute("SELECT to_regclass(%s) IS NOT NULL", [KEPT_KEYS])[0][0])


def status() -> Iterator[str]:
    """A line for each node."""
    if unfinished():
        yield "A distribution was begun but not finished: run manage.py distribute again."
    if not is_distributed(connection):
        yield "One PostgreSQL holds everything."
        return
    for node, shards, size in execute(_HELD):
        yield f"{node}: {shards} shards, {size >> 20} MB"


def _measured(name: str, done: set[str]) -> tuple[int, int]:
    if name in done:
        return 0, 0
    statement = sql.SQL("SELECT (SELECT count(*) FROM {}), pg_total_relation_size({})")
    count, size = execute(statement.format(sql.Identifier(name), sql.Literal(name)))[0]
    return count, size
