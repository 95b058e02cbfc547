"""Finds documents that are owed and that nobody is told to do: their nudge was lost, or their worker."""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from knowledge.claim import fail_held, nudge_document
from knowledge.errors import REASONS
from knowledge.models import Document
from worker.housekeeping import Duty
from worker.leases import postpone_overdue, take_back_dead
from worker.models import WORKER_DIED

SECONDS = 2
AT_ONCE = 20  # documents that are nudged in one round


def document_duties() -> list[Duty]:
    return [Duty("documents", SECONDS, process_owed_documents)]


def process_owed_documents(now: datetime) -> int:
    """Take documents back whose worker is gone, and nudge what is due. How many were nudged."""
    with transaction.atomic():
        owed = [*release_dead_documents(now), *postpone_overdue(Document.objects.all(), now, most=AT_ONCE)]
        for document in owed:
            nudge_document(document.id, project_id=document.project_id)
    return len(owed)


@transaction.atomic
def release_dead_documents(now: datetime) -> list[Document]:
    """Take back every document whose holder is gone, and count the death; too many, and it fails. The others."""
    released = take_back_dead(Document.objects.all(), now)
    for document in released:
        if document.attempts >= settings.MAX_ATTEMPTS:
            rows = Document.objects.filter(id=document.id)
            fail_held(rows, document, error=REASONS[WORKER_DIED])
    return [document for document in released if document.attempts < settings.MAX_ATTEMPTS]
