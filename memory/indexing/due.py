"""Takes texts that owe their vectors, and settles them. The row is the queue: `embed_due_at` says when.

A claim moves that time ahead by a lease and counts an attempt, under the relationship's row lock. Whoever is killed
leaves rows that fall due again; a text that keeps killing is taken in ever smaller company, at last alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from memory.embedders.base import Embedded, Embedder
from memory.indexing.owners import Owner, texts_of
from memory.indexing.rows import owing_kinds
from memory.indexing.vectors import OwedText, write_vectors
from memory.indexing.wanted import lock_config
from relationships.configuration.retrieval import Retrieval

TEXTS_AT_ONCE = 100
WORKER_DIED = "worker_died"
INTERNAL_ERROR = "internal_error"
_MOST_WAITS = 8  # attempts that waiting for an embedder may come to: a long outage condemns no text

# What fell due and owes nothing: its kind is not embedded, it was deleted or skipped, or it has its vector already.
_SETTLE_REST = """
UPDATE memory_searchtext s SET embed_due_at = NULL, embed_attempts = 0, embed_error = ''
 WHERE s.relationship_id = %(relationship)s AND s.embed_due_at <= %(now)s
   AND (s.kind <> ALL(%(kinds)s) OR s.state IN ('deleted', 'skipped') OR EXISTS (
        SELECT FROM memory_embedding v
         WHERE v.relationship_id = %(relationship)s AND v.kind = s.kind AND v.model = %(model)s
           AND v.dimensions = coalesce(%(dimensions)s, v.dimensions) AND v.owner_id = s.owner_id
           AND v.text_hash = s.text_hash))
"""
# A text over which so many workers died, or we stumbled, is left to its words.
_GIVE_UP = """
UPDATE memory_searchtext
   SET embed_due_at = NULL, embed_error = CASE embed_error WHEN '' THEN %(died)s ELSE embed_error END
 WHERE relationship_id = %(relationship)s AND embed_due_at <= %(now)s AND embed_attempts >= %(most)s
   AND embed_error IN ('', %(internal)s)
"""
_DUE = """
SELECT kind, owner_id, text_hash, embed_attempts FROM memory_searchtext
 WHERE relationship_id = %(relationship)s AND embed_due_at <= %(now)s
 ORDER BY embed_due_at, kind, owner_id LIMIT %(limit)s
"""
_LEASE = """
UPDATE memory_searchtext SET embed_due_at = %(until)s, embed_attempts = embed_attempts + 1, embed_error = ''
 WHERE relationship_id = %(relationship)s AND (kind, owner_id) IN (
       SELECT * FROM unnest(%(kinds)s::text[], %(owners)s::uuid[]))
"""
_RENEW = """
UPDATE memory_searchtext SET embed_due_at = %(until)s
 WHERE relationship_id = %(relationship)s AND embed_due_at = %(held_until)s
"""
_SETTLE = """
UPDATE memory_searchtext s
   SET embed_due_at = %(due)s, embed_error = %(error)s,
       embed_attempts = least(embed_attempts, %(most)s)
  FROM unnest(%(kinds)s::text[], %(owners)s::uuid[], %(hashes)s::bytea[]) AS g (kind, owner_id, text_hash)
 WHERE s.relationship_id = %(relationship)s AND s.kind = g.kind AND s.owner_id = g.owner_id
   AND s.text_hash = g.text_hash
"""
# The others that are due wait too: the embedder would hardly take them.
_WAIT = """
UPDATE memory_searchtext SET embed_due_at = %(until)s, embed_error = %(error)s
 WHERE relationship_id = %(relationship)s AND embed_due_at <= %(now)s
"""


@dataclass(frozen=True, slots=True)
class TextClaim:
    """Texts that this worker embeds; `alias` as the configuration named the embedder when they were taken."""

    relationship_id: UUID
    alias: str | None
    attempts: int  # the most that one of them took before
    texts: tuple[OwedText, ...]
    held_until: datetime | None = None  # None: they were not taken from the queue


@transaction.atomic
def claim_texts(relationship_id: UUID, retrieval: Retrieval, embedder: Embedder | None) -> TextClaim | None:
    """The next texts that are due; None: none is, or the configuration is not `retrieval` any more."""
    wanted = lock_config(relationship_id)
    if wanted is None or wanted.retrieval != retrieval:
        return None
    now = timezone.now()
    told: dict[str, Any] = {
        "relationship": relationship_id,
        "now": now,
        "kinds": owing_kinds(retrieval) if embedder else [],
        "model": embedder.model if embedder else "",
        "dimensions": embedder.dimensions if embedder else None,
        "most": settings.MAX_ATTEMPTS,
        "died": WORKER_DIED,
        "internal": INTERNAL_ERROR,
        "limit": min(TEXTS_AT_ONCE, embedder.most_texts) if embedder else 0,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE_REST, told)
        cursor.execute(_GIVE_UP, told)
        cursor.execute(_DUE, told)
        due = cursor.fetchall()
    if not due:
        return None
    attempts = due[0][3]
    taken = due[: max(1, len(due) >> attempts)]
    held_until = now + timedelta(seconds=settings.LEASE_SECONDS)
    _lease(relationship_id, taken, held_until)
    owners = [Owner(kind, owner_id, bytes(digest)) for kind, owner_id, digest, _ in taken]
    texts = texts_of(wanted, owners, now=now)
    attempts = max(row[3] for row in taken)
    return TextClaim(relationship_id, retrieval.embedder, attempts, tuple(texts), held_until)


def lease_of(claim: TextClaim) -> Callable[[], bool]:
    """Holds on for another while to what is not settled yet, each time it is called. False: nothing of it is ours."""
    held_until = claim.held_until

    @transaction.atomic
    def renew() -> bool:
        nonlocal held_until
        if lock_config(claim.relationship_id) is None:
            return False
        until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
        told: dict[str, Any] = {
            "relationship": claim.relationship_id,
            "until": until,
            "held_until": held_until,
        }
        with connection.cursor() as cursor:
            cursor.execute(_RENEW, told)
            held_until = until
            return bool(cursor.rowcount)

    return renew


@transaction.atomic
def keep_vectors(claim: TextClaim, texts: Sequence[OwedText], embedded: Embedded) -> int:
    """Write what was embedded and settle it; how many. Nothing, if the relationship was erased.

    If its configuration names another embedder by now, nothing is written either, and the texts stay due.
    """
    wanted = lock_config(claim.relationship_id)
    if wanted is None:
        return 0
    now = timezone.now()
    if wanted.retrieval is not None and wanted.retrieval.embedder != claim.alias:
        _settle(claim, texts, due=now)
        return 0
    written = write_vectors(claim.relationship_id, texts, embedded, now=now)
    _settle(claim, texts, due=None)
    return written


@transaction.atomic
def put_off(claim: TextClaim, texts: Sequence[OwedText], *, code: str, delay: float, counted: bool) -> None:
    """Owed again `delay` seconds from now, and so are the relationship's other texts that are due."""
    if lock_config(claim.relationship_id) is None:
        return
    now = timezone.now()
    until = now + timedelta(seconds=delay)
    most = _MOST_WAITS if code != INTERNAL_ERROR else settings.MAX_ATTEMPTS
    _settle(claim, texts, due=until, error=code, most=most if counted else 0)
    _wait(claim.relationship_id, now, until, code)


@transaction.atomic
def give_up(claim: TextClaim, texts: Sequence[OwedText], *, code: str) -> None:
    """These get no vector: they are found by their words, and say why."""
    if lock_config(claim.relationship_id) is not None:
        _settle(claim, texts, due=None, error=code, most=settings.MAX_ATTEMPTS)


@transaction.atomic
def block(relationship_id: UUID, *, code: str, delay: float) -> None:
    """Nothing can be embedded here until somebody mends a setting. What is due says so, and waits uncounted."""
    if lock_config(relationship_id) is not None:
        now = timezone.now()
        _wait(relationship_id, now, now + timedelta(seconds=delay), code)


def _lease(relationship_id: UUID, rows: Sequence[tuple[str, UUID, bytes, int]], until: datetime) -> None:
    told: dict[str, Any] = {
        "relationship": relationship_id,
        "until": until,
        "kinds": [row[0] for row in rows],
        "owners": [row[1] for row in rows],
    }
    with connection.cursor() as cursor:
        cursor.execute(_LEASE, told)


def _settle(
    claim: TextClaim,
    texts: Sequence[OwedText],
    *,
    due: datetime | None,
    error: str = "",
    most: int = 0,
) -> None:
    """Rows that tell of another text by now are somebody else's to settle. `most` attempts count on."""
    told: dict[str, Any] = {
        "relationship": claim.relationship_id,
        "due": due,
        "error": error,
        "most": most,
        "kinds": [text.kind for text in texts],
        "owners": [text.owner_id for text in texts],
        "hashes": [text.text_hash for text in texts],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SETTLE, told)


def _wait(relationship_id: UUID, now: datetime, until: datetime, code: str) -> None:
    told: dict[str, Any] = {"relationship": relationship_id, "now": now, "until": until, "error": code}
    with connection.cursor() as cursor:
        cursor.execute(_WAIT, told)
