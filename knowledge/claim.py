"""Takes a document in hand for as long as a lease lasts, and puts it down again.

The document's row is the queue, and losing the race for it a normal answer. A lease that ran out, or whose worker
died, is taken back by the housekeeping (knowledge.duties).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from knowledge.errors import DocumentLost
from knowledge.models import Document, DocumentChunk, DocumentState
from knowledge.models.document import DocumentQuerySet
from worker.nudge import nudge_task


@dataclass(frozen=True, slots=True)
class Claim:
    """A document that this worker holds."""

    document: Document
    token: UUID


def nudge_document(document_id: UUID, *, project_id: UUID) -> None:
    """Have a worker process the document as soon as the present transaction commits."""
    nudge_task("knowledge.tasks.process", document_id, project_id=project_id)


def claim_document(*, document_id: UUID, worker: str) -> Claim | None:
    """None: nothing is due, or somebody else is at it."""
    lease = Document.objects.filter(id=document_id).claim(worker=worker, now=timezone.now())
    return Claim(lease.rows[0], lease.token) if lease else None


@contextmanager
def holding(claim: Claim) -> Iterator[Document]:
    """A transaction in which the document is ours, locked, and its lease renewed. Raises DocumentLost."""
    with transaction.atomic():
        document = _held(claim).select_for_update().first()
        if document is None:
            raise DocumentLost("The document was deleted, or another worker has taken it over.")
        keep_lease(claim)
        yield document


def keep_lease(claim: Claim) -> bool:
    """Hold on for another while, from any thread. False: the document is not ours."""
    return bool(Document.objects.renew(claim.token, now=timezone.now()))


def note(claim: Claim, **values: Any) -> None:
    """Write down how far it has come. Inside `holding`."""
    _held(claim).update(**values)


def settle_ready(claim: Claim) -> None:
    """Inside `holding`."""
    _held(claim).settle(
        state=DocumentState.READY,
        due_at=None,
        attempts=0,
        settled_at=timezone.now(),
        error_code="",
        error="",
    )


def fail_document(claim: Claim, *, code: str, error: str) -> None:
    """For good, until it is asked for again: visible, and without chunks. Raises DocumentLost."""
    with holding(claim) as document:
        fail_held(_held(claim), document, attempts=document.attempts + 1, error_code=code, error=error[:2000])


def fail_held(rows: DocumentQuerySet, document: Document, **values: Any) -> None:
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


def release_document(
    claim: Claim, *, delay: float = 0.0, code: str = "", error: str = "", counted: bool = False
) -> None:
    """Give it back for another try, `delay` seconds from now. Raises DocumentLost."""
    with holding(claim) as document:
        due_at = timezone.now() + timedelta(seconds=delay)
        _held(claim).release(due_at=due_at, counted=counted, code=code, error=error[:2000])
        if not delay:
            nudge_document(document.id, project_id=document.project_id)


def _held(claim: Claim) -> DocumentQuerySet:
    return Document.objects.filter(id=claim.document.id).held(claim.token)
