"""Show what the nodes store, and move shards among them."""

from collections.abc import Callable, Iterator

from django.db import connection

from config.postgresql.citus import is_distributed
from config.postgresql.sessions import execute
from upkeep.distribution.tables import unfinished
from web.errors import RapportError

_HELD = """
SELECT nodename || ':' || nodeport, count(*), coalesce(sum(shard_size), 0)::bigint FROM citus_shards
 WHERE citus_table_type = 'distributed' GROUP BY 1 ORDER BY 1
"""


class NotDistributed(RapportError):
    """This database is not distributed. Run manage.py distribute first."""


def status() -> Iterator[str]:
    """A line for each node."""
    if unfinished():
        yield "A distribution was begun but not finished: run manage.py distribute again."
    if not is_distributed(connection):
        yield "One PostgreSQL holds everything."
        return
    for node, shards, size in execute(_HELD):
        yield f"{node}: {shards} shards, {size >> 20} MB"


def rebalance(told: Callable[[str], None]) -> None:
    """Move shards until the nodes store about the same. The service keeps running. Raises NotDistributed."""
    if not is_distributed(connection):
        raise NotDistributed("This database is not distributed. Run manage.py distribute first.")
    told("Shards move. SELECT * FROM get_rebalance_progress() on the coordinator says how far they are.")
    execute("SELECT rebalance_table_shards(shard_transfer_mode => 'auto')")
    for line in status():
        told(line)
