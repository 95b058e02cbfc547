"""Claim texts that have no vector yet, and settle them, under the relationship's row lock.

Rows of a killed worker are taken back. A text that kills workers repeatedly is claimed in ever smaller batches, in the
end alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from config.postgresql.sessions import execute
from memory.models.search_text import SearchText
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.rows import owing_kinds
from memory.retrieval.index.vectors import OwedText, Owner, texts_of, write_vectors
from providers.embeddings.base import Embedded, Embedder
from relationships.services.sequence import lock_relationship
from worker.identity import worker_identity
from worker.leases import release_when_possible
from worker.models.queued import WORKER_DIED

TEXTS_AT_ONCE = 100
_CLAIMED = ("relationship", "id", "kind", "owner_id", "text_hash", "attempts")
INTERNAL_ERROR = "internal_error"
_MOST_WAITS = 8  # attempts counted at most while an embedder is down, so that a long outage fails no text

# Due rows that need no vector: their kind is not embedded, they were deleted or skipped, or have one already.
_SETTLE_REST = """
UPDATE memory_searchtext s SET due_at = NULL, attempts = 0, error_code = ''
 WHERE s.relationship_id = %(relationship)s AND s.due_at <= %(now)s AND s.lease_token IS NULL
   AND (s.kind <> ALL(%(kinds)s) OR s.state IN ('deleted', 'skipped') OR EXISTS (
        SELECT 1 FROM memory_embedding v
         WHERE v.relationship_id = %(relationship)s AND v.kind = s.kind AND v.model = %(model)s
           AND v.dimensions = coalesce(%(dimensions)s, v.dimensions) AND v.owner_id = s.owner_id
           AND v.text_hash = s.text_hash))
"""
_SETTLE = """
UPDATE memory_searchtext s
   SET due_at = %(due)s, error_code = %(error)s, attempts = least(attempts + 1, %(most)s),
       lease_token = NULL, lease_until = NULL, leased_by = ''
  FROM unnest(%(kinds)s::text[], %(owners)s::uuid[], %(hashes)s::bytea[]) AS g (kind, owner_id, text_hash)
 WHERE s.relationship_id = %(relationship)s AND s.kind = g.kind AND s.owner_id = g.owner_id
   AND s.text_hash = g.text_hash AND (%(written)s OR s.lease_token IS NOT DISTINCT FROM %(token)s)
"""


@dataclass(frozen=True, slots=True)
class TextClaim:
    """Texts that this worker embeds. `alias`: the configured embedder when they were claimed."""

    relationship_id: UUID
    alias: str | None
    attempts: int  # the most that one of them took before
    texts: tuple[OwedText, ...]
    token: UUID | None = None  # None: they were not taken from the queue


@transaction.atomic
def claim_texts(relationship_id: UUID, retrieval: Retrieval, embedder: Embedder | None) -> TextClaim | None:
    """Claim the next due texts; None: none is due, or the configuration is not `retrieval` any more."""
    wanted = lock_config(relationship_id)
    if wanted is None or wanted.retrieval != retrieval:
        return None
    now = timezone.now()
    params: dict[str, Any] = {
        "relationship": relationship_id,
        "now": now,
        "kinds": owing_kinds(retrieval) if embedder else [],
        "model": embedder.model if embedder else "",
        "dimensions": embedder.dimensions if embedder else None,
    }
    execute(_SETTLE_REST, params)
    rows = SearchText.objects.for_relationship(relationship_id)
    # Workers died on these too often, or they caused internal errors: they get no vector.
    deadly = rows.due(now).filter(attempts__gte=settings.MAX_ATTEMPTS)
    deadly.filter(error_code__in=(WORKER_DIED, INTERNAL_ERROR)).update(due_at=None)
    limit = min(TEXTS_AT_ONCE, embedder.most_texts) if embedder else 0
    due = rows.due(now).order_by("due_at", "kind", "owner_id").values_list("id", "attempts")[:limit]
    company = max(1, len(due) >> due[0][1]) if due else 0
    places = {id: place for place, (id, _) in enumerate(due[:company])}
    lease = rows.filter(id__in=places).claim(
        worker=worker_identity(), now=now, fields=_CLAIMED, error_code=""
    )
    if lease is None:
        return None
    taken = sorted(lease.rows, key=lambda row: places[row.id])
    owners = [Owner(row.kind, row.owner_id, bytes(row.text_hash)) for row in taken]
    texts = texts_of(wanted, owners, now=now)
    attempts = max(row.attempts for row in lease.rows)
    return TextClaim(relationship_id, retrieval.embedder, attempts, tuple(texts), lease.token)


@transaction.atomic
def keep_lease(claim: TextClaim) -> bool:
    """Renew the lease of what is not settled yet, from any thread. False: nothing is held any more."""
    if claim.token is None or not lock_relationship(claim.relationship_id):
        return False
    rows = SearchText.objects.for_relationship(claim.relationship_id)
    return bool(rows.renew(claim.token))


def hand_back(claim: TextClaim) -> None:
    """After a failure of the database, make what is not settled due again once it is back."""
    if claim.token is not None:
        held = SearchText.objects.for_relationship(claim.relationship_id).held(claim.token)
        release_when_possible(lambda: held.release(due_at=timezone.now(), counted=True))


@transaction.atomic
def keep_vectors(claim: TextClaim, texts: Sequence[OwedText], embedded: Embedded) -> int:
    """Write vectors and settle their texts; return how many. Nothing, if the relationship was erased.

    If its configuration has another embedder by now, nothing is written either, and the texts stay due.
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
    """Make these texts due in `delay` seconds, and so the relationship's other due texts."""
    if not lock_relationship(claim.relationship_id):
        return
    now = timezone.now()
    until = now + timedelta(seconds=delay)
    most = _MOST_WAITS if code != INTERNAL_ERROR else settings.MAX_ATTEMPTS
    _settle(claim, texts, due=until, error=code, most=most if counted else 0)
    _wait(claim.relationship_id, now, until, code)


@transaction.atomic
def give_up(claim: TextClaim, texts: Sequence[OwedText], *, code: str) -> None:
    """Settle these texts without a vector, with the reason. They are found by words only."""
    if lock_relationship(claim.relationship_id):
        _settle(claim, texts, due=None, error=code, most=settings.MAX_ATTEMPTS)


@transaction.atomic
def block(relationship_id: UUID, *, code: str, delay: float) -> None:
    """Let due texts wait, uncounted and with the reason, until somebody fixes a setting."""
    if lock_relationship(relationship_id):
        now = timezone.now()
        _wait(relationship_id, now, now + timedelta(seconds=delay), code)


def _settle(
    claim: TextClaim,
    texts: Sequence[OwedText],
    *,
    due: datetime | None,
    error: str = "",
    most: int = 0,
) -> None:
    """Settle rows, unless their text has changed, or another worker has taken them over and they have no vector. At
    most `most` attempts are counted.
    """
    params: dict[str, Any] = {
        "relationship": claim.relationship_id,
        "due": due,
        "error": error,
        "most": most,
        "token": claim.token,
        "written": due is None and not error,
        "kinds": [text.kind for text in texts],
        "owners": [text.owner_id for text in texts],
        "hashes": [text.text_hash for text in texts],
    }
    execute(_SETTLE, params)


def _wait(relationship_id: UUID, now: datetime, until: datetime, code: str) -> None:
    """Let the relationship's other due texts wait, too, as the embedder would hardly take them."""
    SearchText.objects.for_relationship(relationship_id).due(now).update(due_at=until, error_code=code)
