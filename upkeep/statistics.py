"""Keep PostgreSQL's statistics up to date. Without them it may compare each of many rows with all others.

It updates them itself about a minute after many rows were added. An import, or a check right after one or after a dump
was restored, would begin before that and take quadratic time.
"""

from django.db import connection

from config.postgresql.citus import is_distributed
from config.postgresql.sessions import execute

FEW = 500  # rows
_GROWN = f"""
SELECT coalesce(string_agg(s.relid::regclass::text, ', ' ORDER BY s.relid), '')
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
 WHERE s.n_mod_since_analyze > {FEW} + greatest(c.reltuples, 0) / 10
"""  # noqa: S608 - a constant of ours
_ROWS = "SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = '%s'::regclass"
_ROWS_OF_SHARDS = "SELECT sum(result::float8) FROM run_command_on_shards(%s, %s)"


def look_at_grown_tables() -> None:
    """ANALYZE the tables of which a tenth is new; in a distributed database all tables, if there is such a one."""
    if is_distributed(connection):
        if execute("SELECT bool_or(result <> '') FROM run_command_on_all_nodes(%s)", [_GROWN])[0][0]:
            execute("ANALYZE")
    elif grown := execute(_GROWN)[0][0]:
        execute(f"ANALYZE {grown}")


def look_at_table(table: str, *, new: int) -> None:
    """ANALYZE a table if the `new` rows of this transaction are a tenth of it, unless another session does it."""
    if new <= FEW:
        return
    if is_distributed(connection):
        rows = execute(_ROWS_OF_SHARDS, [table, _ROWS])[0][0] or 0
    else:
        rows = execute(_ROWS % table)[0][0]
    if new > FEW + rows / 10:
        execute(f"ANALYZE (SKIP_LOCKED) {table}")
