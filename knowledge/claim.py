"""Claims a document with a lease, and releases it.

The document's row is the queue, and losing the race for it a normal answer. A lease that ran out, or whose worker
died, is taken back by the housekeeping, which also enqueues what is owed and nobody was told to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from knowledge.errors import REASONS, DocumentLost
from knowledge.models import Document, DocumentChunk, DocumentState
from worker.enqueue import enqueue_task
from worker.models import WORKER_DIED, QueuedQuerySet
from worker.owed_rows import OwedRows

TASK = "knowledge.pipeline.process"
AT_ONCE = 20  # documents that are enqueued in one round


def enqueue_document(document: Document) -> None:
    """Have a worker process the document as soon as the present transaction commits."""
    enqueue_task(TASK, document.id, project_id=document.project_id)


def claim_document(*, document_id: UUID, worker: str) -> Document | None:
    """The document with its lease; None: nothing is due, or somebody else is at it."""
    lease = Document.objects.filter(id=document_id).claim(worker=worker, now=timezone.now())
    return lease.rows[0] if lease else None


@contextmanager
def holding(claimed: Document) -> Iterator[Document]:
    """A transaction in which the row is ours, locked, and its lease renewed. Raises DocumentLost."""
    with transaction.atomic():
        document = claimed.held_row().select_for_update().first()
        if document is None:
            raise DocumentLost("The document was deleted, or another worker has taken it over.")
        claimed.keep_lease()
        yield document


def fail_document(claimed: Document, *, code: str, error: str) -> None:
    """For good, until it is asked for again: visible, and without chunks. Raises DocumentLost."""
    with holding(claimed) as document:
        attempts = document.attempts + 1
        _fail(claimed.held_row(), document, attempts=attempts, error_code=code, error=error[:2000])


def release_document(
    claimed: Document, *, delay: float = 0.0, code: str = "", error: str = "", counted: bool = False
) -> None:
    """Give it back for another try, `delay` seconds from now. Raises DocumentLost."""
    with holding(claimed) as document:
        due_at = timezone.now() + timedelta(seconds=delay)
        claimed.held_row().release(due_at=due_at, counted=counted, code=code, error=error[:2000])
        if not delay:
            enqueue_document(document)


def _give_up(document: Document) -> None:
    """Too many workers died of it."""
    _fail(Document.objects.filter(id=document.id), document, error=REASONS[WORKER_DIED])


process_owed_documents = OwedRows(model=Document, task=TASK, ids=["id"], give_up=_give_up, most=AT_ONCE)


def _fail(rows: QueuedQuerySet, document: Document, **values: Any) -> None:
    """`rows` is the document. Inside a transaction."""
    DocumentChunk.objects.filter(document_id=document.id).delete()
    rows.settle(
        state=DocumentState.FAILED,
        due_at=None,
        settled_at=timezone.now(),
        chunk_count=0,
        chunks_done=0,
        reread=True,
        **values,
    )
