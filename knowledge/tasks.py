"""The queue's task. What it is about is in the document's row, so it may be lost, doubled or late."""

from uuid import UUID

import structlog

from knowledge.pipeline import process_document
from memory.tasks import CRASHES, kind_and_place
from worker.identity import worker_identity
from worker.worker_stats import stop_requested

log = structlog.get_logger(__name__)


def process(document_id: str) -> None:
    """Do what the document owes. Never fails, so that django-q2 keeps nothing about it."""
    if stop_requested():
        return
    try:
        process_document(document_id=UUID(document_id), worker=worker_identity())
    except CRASHES as error:
        # The lease brings it back.
        log.error(
            "processing a document crashed",
            event_name="document.crashed",
            document_id=document_id,
            **kind_and_place(error),
        )
