"""How each table is stored if the database is distributed on Citus. On plain PostgreSQL this has no effect.

A relationship is the shard: its own table and every table whose primary key begins with `relationship_id` are
distributed by it, so that its rows are on one node. Other tables that statements about one relationship join are copied
to every node (reference tables). The rest stays on the coordinator. `manage.py distribute` distributes existing tables,
the schema editor those that a later migration creates.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.models import Model

ROOT_TABLE = "relationships_relationship"
REFERENCE_TABLES = (
    "relationships_project",
    "relationships_apikey",
    "relationships_operator",
    "relationships_companion",
    "relationships_enduser",
    "memory_ingestionprompt",
    "context_document",
    "context_documentfile",
    "context_documentchunk",
    "context_chunkembedding",
    "workspace_tool",
    "workspace_toolsecret",
)
_OWNER = "relationship_id"


class SchemaEditor(DatabaseSchemaEditor):
    def create_model(self, model: type[Model]) -> None:
        """Create the table, and distribute it before its foreign keys are added, which could not be added first."""
        super().create_model(model)
        if not self.collect_sql and is_distributed(self.connection):
            statement, values = distribution_of(model)
            if statement:
                self.execute(statement, values)


def is_distributed(database: BaseDatabaseWrapper) -> bool:
    """Return whether relationships are distributed over nodes."""
    with database.cursor() as cursor:
        cursor.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
        if not cursor.fetchone()[0]:
            return False
        cursor.execute("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass(%s)", [ROOT_TABLE])
        return cursor.fetchone() is not None


def distribution_of(model: type[Model]) -> tuple[str, list[Any]]:
    """The statement that distributes this table, and its values; "" and [] if it stays on the coordinator."""
    table = model._meta.db_table
    if table == ROOT_TABLE:
        return "SELECT create_distributed_table(%s, 'id')", [table]
    if model._meta.pk_fields[0].column == _OWNER:
        return f"SELECT create_distributed_table(%s, '{_OWNER}', colocate_with => %s)", [table, ROOT_TABLE]
    if table in REFERENCE_TABLES:
        return "SELECT create_reference_table(%s)", [table]
    return "", []


def rows_of_each(
    inner: str, each: Mapping[str, tuple[str, Sequence[Any]]], values: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Run the query `inner` for several sets of values, to which it refers as {name}. Return all rows.

    `each`: by name, the SQL type and the values. Each row begins with its set's first value. One statement; in a
    distributed database, which can't run that over several shards, one statement per set.
    """
    names = list(each)
    with connection.cursor() as cursor:
        if not is_distributed(connection):
            arrays = ", ".join(f"%({name})s::{kind}[]" for name, (kind, _) in each.items())
            listed = f"unnest({arrays}) AS given ({', '.join(names)})"
            query = inner.format(**{name: f"given.{name}" for name in names})
            cursor.execute(
                f"SELECT given.{names[0]}, found.* FROM {listed}, LATERAL ({query}) found",  # noqa: S608 - ours
                {**values, **{name: list(wanted) for name, (_, wanted) in each.items()}},
            )
            return list(cursor.fetchall())
        found: list[tuple[Any, ...]] = []
        query = inner.format(**{name: f"%({name})s::{kind}" for name, (kind, _) in each.items()})
        for one in zip(*(wanted for _, wanted in each.values()), strict=True):
            cursor.execute(query, {**values, **dict(zip(names, one, strict=True))})
            found += [(one[0], *row) for row in cursor.fetchall()]
        return found
