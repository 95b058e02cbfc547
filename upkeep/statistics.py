"""What PostgreSQL knows of how large its tables are. Where it knows nothing, it may hold each of many rows against all.

It looks by itself about a minute after many rows came. What begins before, an import in itself or a check just after it
or after a dump was restored, took the square of their number.
"""

from django.db import connection

from config.postgresql.citus import is_distributed

FEW = 500  # rows
_GROWN = f"""
SELECT coalesce(string_agg(s.relid::regclass::text, ', ' ORDER BY s.relid), '')
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
 WHERE s.n_mod_since_analyze > {FEW} + greatest(c.reltuples, 0) / 10
"""  # noqa: S608 - a constant of ours
_ROWS = "SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = '%s'::regclass"
_ROWS_OF_SHARDS = "SELECT sum(result::float8) FROM run_command_on_shards(%s, %s)"


def look_at_grown_tables() -> None:
    """ANALYZE those of which a tenth is new. Where the database is distributed, all, if there is one anywhere."""
    with connection.cursor() as cursor:
        if is_distributed(connection):
            cursor.execute("SELECT bool_or(result <> '') FROM run_command_on_all_nodes(%s)", [_GROWN])
            if cursor.fetchone()[0]:
                cursor.execute("ANALYZE")
            return
        cursor.execute(_GROWN)
        if grown := cursor.fetchone()[0]:
            cursor.execute(f"ANALYZE {grown}")


def look_at_table(table: str, *, new: int) -> None:
    """The same for one that has so many new rows of this transaction; left out while somebody else is at it."""
    if new <= FEW:
        return
    with connection.cursor() as cursor:
        if is_distributed(connection):
            cursor.execute(_ROWS_OF_SHARDS, [table, _ROWS])
        else:
            cursor.execute(_ROWS % table)
        if new > FEW + (cursor.fetchone()[0] or 0) / 10:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {table}")
