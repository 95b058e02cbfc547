"""Finds documents that are owed and that nobody is told to do: their nudge was lost, or their worker."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from context.knowledge.claim import nudge_document
from context.knowledge.errors import REASONS
from context.models import Document, DocumentChunk, DocumentState
from memory.queue.fairness import in_turn_by_project
from memory.queue.heartbeat import silent_machines
from memory.queue.housekeeping import Duty
from memory.queue.identity import is_dead, machine_of

SECONDS = 2
AT_ONCE = 20  # documents that are nudged in one round
WORKER_DIED = "worker_died"
# An upload was nudged by its own transaction; give that a moment. Doubles with each nudge that led to nothing.
GRACE = timedelta(seconds=5)


def document_duties() -> list[Duty]:
    return [Duty("documents", SECONDS, process_owed_documents)]


def process_owed_documents(now: datetime) -> int:
    """Take documents back whose worker is gone, and nudge what is due. How many were nudged."""
    release_dead_documents(now)
    with transaction.atomic():
        due = Document.objects.filter(state=DocumentState.PENDING, due_at__lte=now - GRACE)
        chosen = list(in_turn_by_project(due, most=AT_ONCE).values_list("id", flat=True))
        free = due.filter(id__in=chosen).select_for_update(skip_locked=True)
        owed = dict(free.values_list("id", "project_id"))
        # Due again after the grace, so that the rest have their turn and a full queue is not filled further.
        Document.objects.filter(id__in=owed, state=DocumentState.PENDING).update(due_at=now)
        for document_id, project_id in owed.items():
            nudge_document(document_id, project_id=project_id)
    return len(owed)


def release_dead_documents(now: datetime) -> int:
    """Take back every document whose holder is gone, and count the death; too many, and it fails."""
    held = Document.objects.filter(state=DocumentState.PROCESSING)
    holders = list(held.order_by().values_list("leased_by", flat=True).distinct())
    if not holders:
        return 0
    silent = silent_machines(settings.HEARTBEAT_LIMIT_SECONDS)
    dead = [
        name for name in holders if (machine_of(name) in silent if (gone := is_dead(name)) is None else gone)
    ]
    released = 0
    for document_id in held.filter(Q(lease_until__lte=now) | Q(leased_by__in=dead)).values_list(
        "id", flat=True
    ):
        released += _release(document_id, dead, now)
    return released


@transaction.atomic
def _release(document_id: UUID, dead: list[str], now: datetime) -> int:
    held = Document.objects.filter(id=document_id, state=DocumentState.PROCESSING)
    document = held.filter(Q(lease_until__lte=now) | Q(leased_by__in=dead)).select_for_update().first()
    if document is None:
        return 0
    hopeless = document.attempts + 1 >= settings.MAX_ATTEMPTS
    if hopeless:
        DocumentChunk.objects.filter(document_id=document.id).delete()
    held.update(
        state=DocumentState.FAILED if hopeless else DocumentState.PENDING,
        due_at=None if hopeless else now - GRACE,
        settled_at=now if hopeless else None,
        attempts=document.attempts + 1,
        error_code=WORKER_DIED,
        error=REASONS[WORKER_DIED] if hopeless else "",
        lease_token=None,
        lease_until=None,
        leased_by="",
        **({"chunk_count": 0, "chunks_done": 0, "reread": True} if hopeless else {}),
    )
    return 1
