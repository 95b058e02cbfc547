"""Finds texts that owe nothing, yet have no vector in the space that is wanted, and owes them again.

Every change owes its own vectors, so gaps come only from outside: a configuration changed by hand, a database older
than the index. They are filled from the newest text to the oldest, so one look at the oldest (and at the newest, as
the configuration may have gone back and forth) tells whether there are any.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from psycopg import sql

from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.rows import owing_kinds
from memory.retrieval.index.text import text_hash
from providers.embeddings.base import Embedder

AT_ONCE = 500

# Texts that should have a vector and wait for none. One that failed for good stays as it is.
_SETTLED = """
  FROM memory_searchtext s
 WHERE s.relationship_id = %(relationship)s AND s.kind = ANY(%(kinds)s) AND s.due_at IS NULL
   AND s.error_code = '' AND s.state NOT IN ('deleted', 'skipped') AND s.text_hash <> %(nothing)s
"""
_WITHOUT = """
NOT EXISTS (
    SELECT FROM memory_embedding v
     WHERE v.relationship_id = %(relationship)s AND v.kind = seen.kind AND v.model = %(model)s
       AND v.dimensions = coalesce(%(dimensions)s, v.dimensions) AND v.owner_id = seen.owner_id)
"""
# Messages in the order of their places, entries in that of their IDs: each served by an index.
_END = """
SELECT EXISTS (
    SELECT FROM (SELECT s.kind, s.owner_id {settled} AND s.kind = {kind} ORDER BY {order} LIMIT 1) seen WHERE {without})
    AS missing
"""
_ENDS = sql.SQL(" UNION ALL ").join(
    sql.SQL(_END).format(
        settled=sql.SQL(_SETTLED), without=sql.SQL(_WITHOUT), kind=sql.Literal(kind), order=sql.SQL(order)
    )
    for kind, order in (
        ("entry", "s.owner_id"),
        ("entry", "s.owner_id DESC"),
        ("message", "s.place"),
        ("message", "s.place DESC"),
    )
)
_LOOK = sql.SQL("SELECT bool_or(missing) FROM ({ends}) ends").format(ends=_ENDS)
_OWE = sql.SQL(
    """
WITH seen AS MATERIALIZED (SELECT s.id, s.kind, s.owner_id, s.place {settled}), missing AS (
    SELECT id FROM seen WHERE {without} ORDER BY place DESC, owner_id DESC LIMIT %(limit)s
)
UPDATE memory_searchtext s SET due_at = %(now)s, attempts = 0
  FROM missing WHERE s.relationship_id = %(relationship)s AND s.id = missing.id
"""
).format(settled=sql.SQL(_SETTLED), without=sql.SQL(_WITHOUT))
_NOTHING = text_hash("")


def has_gaps(relationship_id: UUID, retrieval: Retrieval, embedder: Embedder) -> bool:
    """A few index probes, whatever the number of texts."""
    with connection.cursor() as cursor:
        cursor.execute(_LOOK, _params(relationship_id, retrieval, embedder))
        found: bool = cursor.fetchone()[0]
    return found


@transaction.atomic
def owe_gaps(relationship_id: UUID, retrieval: Retrieval, embedder: Embedder) -> int:
    """Make the newest AT_ONCE of them due. How many; 0 also where the configuration is not `retrieval` any more."""
    if not has_gaps(relationship_id, retrieval, embedder):
        return 0
    wanted = lock_config(relationship_id)
    if wanted is None or wanted.retrieval != retrieval:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(_OWE, _params(relationship_id, retrieval, embedder, now=timezone.now(), limit=AT_ONCE))
        owed: int = cursor.rowcount
    return owed


def _params(
    relationship_id: UUID, retrieval: Retrieval, embedder: Embedder, **more: datetime | int
) -> dict[str, Any]:
    return {
        "relationship": relationship_id,
        "kinds": owing_kinds(retrieval),
        "model": embedder.model,
        "dimensions": embedder.dimensions,
        "nothing": _NOTHING,
        **more,
    }
