"""Texts that have no vector in a space where they should have one.

Every change owes its own vectors, so gaps only come from outside: a configuration that was changed, or a database from
before the index. They are filled from the newest text to the oldest, so checking the oldest (and the newest, as the
configuration may have been changed back) shows most of them. One between texts that have vectors, as when something is
said at once after an embedder was switched on again, is seen only where all texts are checked. When a companion moves
to another embedder, its texts are embedded separately (memory.retrieval.index.reembed).
"""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from psycopg import sql

from config.postgresql.sessions import execute
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.rows import owing_kinds
from memory.retrieval.index.text import text_hash
from memory.retrieval.index.vectors import Owner
from providers.embeddings.base import Embedder

AT_ONCE = 500

_TEXTS = """
  FROM memory_searchtext s
 WHERE s.relationship_id = %(relationship)s AND s.kind = ANY(%(kinds)s) AND s.state NOT IN ('deleted', 'skipped')
   AND s.text_hash <> %(nothing)s
"""
# Texts without a vector that don't wait for one. Those that failed for good are left alone.
_SETTLED = f"{_TEXTS} AND s.due_at IS NULL AND s.error_code = ''"
_WITHOUT = """
NOT EXISTS (
    SELECT 1 FROM memory_embedding v
     WHERE v.relationship_id = %(relationship)s AND v.kind = s.kind AND v.model = %(model)s
       AND v.dimensions = coalesce(%(dimensions)s, v.dimensions) AND v.owner_id = s.owner_id)
"""
# Messages in order of place, entries in order of ID: each is served by an index.
_END = """
SELECT EXISTS (
    SELECT 1 FROM (SELECT s.kind, s.owner_id {settled} AND s.kind = {kind} ORDER BY {order} LIMIT 1) s WHERE {without})
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
_ANYWHERE = f"SELECT EXISTS (SELECT 1 {_SETTLED} AND {_WITHOUT})"
_OWE = f"""
WITH settled AS MATERIALIZED (SELECT s.id, s.kind, s.owner_id, s.place {_SETTLED}), missing AS (
    SELECT id FROM settled s WHERE {_WITHOUT} ORDER BY place DESC, owner_id DESC LIMIT %(limit)s
)
UPDATE memory_searchtext s SET due_at = %(now)s, attempts = 0
  FROM missing WHERE s.relationship_id = %(relationship)s AND s.id = missing.id RETURNING s.id
"""  # noqa: S608 - constants of ours
_COUNT = f"SELECT count(*) {_TEXTS} AND {_WITHOUT}"
_NEXT = f"""
SELECT s.kind, s.owner_id, s.text_hash {_TEXTS} AND {_WITHOUT} AND (s.kind, s.owner_id) > (%(kind)s, %(owner)s)
 ORDER BY s.kind, s.owner_id LIMIT %(limit)s
"""
_NOTHING = text_hash("")


def has_gaps(
    relationship_id: UUID, retrieval: Retrieval, embedder: Embedder, *, anywhere: bool = False
) -> bool:
    """Return whether there are gaps at the ends: a few index probes, whatever the number of texts. `anywhere`: check
    all texts.
    """
    look = _ANYWHERE if anywhere else _LOOK
    found: bool = execute(look, _params(relationship_id, retrieval, embedder))[0][0]
    return found


@transaction.atomic
def owe_gaps(
    relationship_id: UUID, retrieval: Retrieval, embedder: Embedder, *, anywhere: bool = False
) -> int:
    """Make the newest AT_ONCE gaps due, and return how many; 0 also if the configuration has changed."""
    if not has_gaps(relationship_id, retrieval, embedder, anywhere=anywhere):
        return 0
    wanted = lock_config(relationship_id)
    if wanted is None or wanted.retrieval != retrieval:
        return 0
    more = {"now": timezone.now(), "limit": AT_ONCE}
    return len(execute(_OWE, _params(relationship_id, retrieval, embedder, **more)))


def count_without(relationship_id: UUID, retrieval: Retrieval, embedder: Embedder) -> int:
    """Count the texts without a vector from this embedder, owed or not."""
    found: int = execute(_COUNT, _params(relationship_id, retrieval, embedder))[0][0]
    return found


def next_without(
    relationship_id: UUID, retrieval: Retrieval, embedder: Embedder, *, after: Owner, limit: int
) -> list[Owner]:
    """The next texts without a vector after `after`, in order of their owners."""
    place = {"kind": after.kind, "owner": after.owner_id, "limit": limit}
    rows = execute(_NEXT, _params(relationship_id, retrieval, embedder, **place))
    return [Owner(kind, owner_id, bytes(digest)) for kind, owner_id, digest in rows]


def _params(relationship_id: UUID, retrieval: Retrieval, embedder: Embedder, **more: Any) -> dict[str, Any]:
    return {
        "relationship": relationship_id,
        "kinds": owing_kinds(retrieval),
        "model": embedder.model,
        "dimensions": embedder.dimensions,
        "nothing": _NOTHING,
        **more,
    }
