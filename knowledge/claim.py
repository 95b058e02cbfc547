"""Claims documents by a lease, and releases them.

The row is the queue, and losing the race for it is normal. The housekeeping takes back expired leases, and enqueues
documents whose task was lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from knowledge.errors import REASONS, DocumentLost
from knowledge.models import Document, DocumentChunk, DocumentState
from worker.enqueue import enqueue_task
from worker.models import WORKER_DIED, QueuedQuerySet
from worker.owed_rows import OwedRows

log = structlog.get_logger(__name__)

TASK = "knowledge.pipeline.process"
AT_ONCE = 20  # documents that are enqueued in one round


def enqueue_document(document: Document) -> None:
    """Have a worker process the document once the current transaction commits."""
    enqueue_task(TASK, document.id, project_id=document.project_id)


def claim_document(*, document_id: UUID, worker: str) -> Document | None:
    """Claim a document. Returns None if nothing is due, or another worker holds it."""
    claimed: Document | None = Document.objects.filter(id=document_id).claim_one(worker=worker)
    return claimed


@contextmanager
def holding(claimed: Document) -> Iterator[Document]:
    """Open a transaction with the row locked, still ours, and its lease renewed. Raises DocumentLost."""
    with transaction.atomic():
        document = claimed.held_row().select_for_update().first()
        if document is None:
            raise DocumentLost("The document was deleted, or another worker has taken it over.")
        claimed.keep_lease()
        yield document


def fail_document(claimed: Document, code: str, error: str) -> None:
    """Mark the document as failed, until somebody retries it, and delete its chunks. Raises DocumentLost."""
    with holding(claimed) as document:
        attempts = document.attempts + 1
        _fail(claimed.held_row(), document, attempts=attempts, error_code=code, error=error[:2000])
    log.warning("a document failed", event_name="document.failed", code=code, **claimed.ids)


def hand_over(claimed: Document) -> None:
    """Leave the rest to another task. Raises DocumentLost."""
    with holding(claimed) as document:
        claimed.held_row().release(due_at=timezone.now(), code="", error="")
        enqueue_document(document)


def _give_up(document: Document) -> None:
    """Fail a document that too many workers died of."""
    _fail(Document.objects.filter(id=document.id), document, error=REASONS[WORKER_DIED])


process_owed_documents = OwedRows(model=Document, task=TASK, ids=["id"], give_up=_give_up, most=AT_ONCE)


def _fail(rows: QueuedQuerySet, document: Document, **values: Any) -> None:
    """Fail a document. `rows`: the document's row. Call inside a transaction."""
    DocumentChunk.objects.filter(document_id=document.id).delete()
    rows.settle(
        state=DocumentState.FAILED,
        settled_at=timezone.now(),
        chunk_count=0,
        chunks_done=0,
        reread=True,
        **values,
    )
