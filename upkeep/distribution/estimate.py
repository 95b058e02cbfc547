"""Estimate how long a distribution takes, by distributing a sample of each table on these servers, and rolling back.

It counts creating a table's shards, copying its rows, and checking its foreign keys.
"""

from collections.abc import Sequence
from time import perf_counter

from django.db import transaction
from psycopg import sql

from config.postgresql.sessions import execute
from upkeep.distribution.tables import Table

_SAMPLE = 4_000  # rows; of a table with fewer, all
_PROBE = "rapport_probe"


def seconds_needed(tables: Sequence[Table], *, shards: int) -> float:
    """Estimate the seconds for the tables that are left, and for the last step, which goes through all.

    It takes about as long as copying a sample of each; nothing of it stays.
    """
    execute(sql.SQL("SET citus.shard_count = {}").format(sql.Literal(shards)))
    each = _seconds(None)
    total = 0.0
    left = [table for table in tables if not table.done]
    for table in left:
        if table.rows:
            sampled = min(table.rows, _SAMPLE)
            total += max(_seconds(table) - each, 0.0) * table.rows / sampled
    return total + each * (len(left) + len(tables))


def _seconds(table: Table | None) -> float:
    """Measure the seconds for a sample of the table; None: for an empty table."""
    probe, create = sql.Identifier(_PROBE), sql.SQL("CREATE TABLE {} ({})")
    with transaction.atomic():
        if table is None:
            empty = sql.SQL("relationship_id uuid, id uuid, PRIMARY KEY (relationship_id, id)")
            execute(create.format(probe, empty))
        else:
            of, copy = sql.Identifier(table.name), sql.SQL("INSERT INTO {} SELECT * FROM {} LIMIT {}")
            execute(create.format(probe, sql.SQL("LIKE {} INCLUDING ALL").format(of)))
            execute(copy.format(probe, of, sql.Literal(_SAMPLE)))
        began = perf_counter()
        column = "id" if table and "'id'" in table.statement else "relationship_id"
        if table and table.copied:
            execute("SELECT create_reference_table(%s)", [_PROBE])
        else:
            execute("SELECT create_distributed_table(%s, %s, colocate_with => 'none')", [_PROBE, column])
        transaction.set_rollback(True)
        return perf_counter() - began
