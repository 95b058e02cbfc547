"""Working without a node of a distributed database that is away (docs/how-to/distribute.md).

Citus answers no statement over several shards while one of them can't be reached. Once that happened, statements that
look for work in all relationships name only those on nodes that answer, and after a while all of them again. Each
process remembers this for itself.
"""

from time import monotonic
from typing import Any, TypeVar
from uuid import UUID

from django.db import models

from config.postgresql.sessions import execute
from worker.models import QueuedRow

Rows = TypeVar("Rows", bound="models.QuerySet[Any]")

ALL_AGAIN_SECONDS = 10.0
MOST = 1000  # relationships of each shard
# Other errors of a shard are not lists of IDs, and are raised.
_OF_EACH_SHARD = """
SELECT string_to_array(result, ',')::uuid[] FROM run_command_on_shards(%s, %s)
 WHERE success OR result NOT LIKE 'failed to connect%%'
"""
_OWING = """
SELECT string_agg(relationship_id::text, ',') FROM (
    SELECT relationship_id FROM %s WHERE {owes} GROUP BY 1 ORDER BY min(due_at) LIMIT {most}) owing
"""

_until = 0.0  # monotonic


def go_on_without() -> bool:
    """Note that a node is away. Returns whether that was not known yet."""
    global _until
    known, _until = is_known(), monotonic() + ALL_AGAIN_SECONDS
    return not known


def is_known() -> bool:
    """Return whether only the other nodes are queried at the moment."""
    return monotonic() < _until


def answering(rows: Rows) -> Rows:
    """The rows of relationships that have work due and can be reached; all rows if no node is away."""
    if not is_known() or rows.model._meta.pk_fields[0].column != "relationship_id":
        return rows
    return rows.filter(relationship_id__in=_reachable(rows.model))


def among(model: type[QueuedRow], *columns: str) -> tuple[str, dict[str, Any]]:
    """The same as a condition that begins with AND, and its value; empty, with every node there.

    `columns`: that of each table, where there are several, as each has shards of its own to be left out.
    """
    if not is_known():
        return "", {}
    reachable = _reachable(model)
    if not reachable:
        return " AND false", {}
    named = columns or ("relationship_id",)
    return "".join(f" AND {column} = ANY(%(among)s)" for column in named), {"among": reachable}


def _reachable(model: type[QueuedRow]) -> list[UUID]:
    states = ", ".join(f"'{state}'" for each in (model.WAITING, model.HELD) for state in each.values())
    owes = f"state IN ({states})" if states else "due_at IS NOT NULL"
    shards = execute(_OF_EACH_SHARD, [model._meta.db_table, _OWING.format(owes=owes, most=MOST)])
    return [relationship for (some,) in shards for relationship in some or ()]
