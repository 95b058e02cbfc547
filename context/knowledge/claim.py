"""Takes a document in hand for as long as a lease lasts, and puts it down again.

The document's row is the queue: a claim is a conditional UPDATE, losing the race a normal answer. A lease that ran
out, or whose worker died, is taken back by the housekeeping (context.knowledge.duties).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from context.knowledge.errors import DocumentLost
from context.models import Document, DocumentChunk, DocumentState
from memory.queue.nudge import nudge_task


@dataclass(frozen=True, slots=True)
class Claim:
    """A document that this worker holds."""

    document: Document
    token: UUID


def nudge_document(document_id: UUID, *, project_id: UUID) -> None:
    """Have a worker process the document as soon as the present transaction commits."""
    nudge_task("context.knowledge.tasks.process", document_id, project_id=project_id)


def claim_document(*, document_id: UUID, worker: str) -> Claim | None:
    """None: nothing is due, or somebody else is at it."""
    token, now = uuid4(), timezone.now()
    due = Document.objects.filter(id=document_id, state=DocumentState.PENDING, due_at__lte=now)
    taken = due.update(
        state=DocumentState.PROCESSING, lease_token=token, lease_until=_lease_end(), leased_by=worker
    )
    if not taken:
        return None
    document = Document.objects.filter(id=document_id, lease_token=token).first()
    return Claim(document, token) if document else None


@contextmanager
def holding(claim: Claim) -> Iterator[Document]:
    """A transaction in which the document is ours, locked, and its lease renewed. Raises DocumentLost."""
    with transaction.atomic():
        document = _held(claim).select_for_update().first()
        if document is None:
            raise DocumentLost("The document was deleted, or another worker has taken it over.")
        _held(claim).update(lease_until=_lease_end())
        yield document


def keep_lease(claim: Claim) -> bool:
    """Hold on for another while, from any thread. False: the document is not ours."""
    return bool(_held(claim).update(lease_until=_lease_end()))


def note(claim: Claim, **values: Any) -> None:
    """Write down how far it has come. Inside `holding`."""
    _held(claim).update(**values)


def settle_ready(claim: Claim) -> None:
    """Inside `holding`."""
    _put_down(claim, DocumentState.READY, due_at=None, attempts=0, settled_at=timezone.now())


def fail_document(claim: Claim, *, code: str, error: str) -> None:
    """For good, until it is asked for again: visible, and without chunks. Raises DocumentLost."""
    with holding(claim) as document:
        DocumentChunk.objects.filter(document_id=document.id).delete()
        _put_down(
            claim,
            DocumentState.FAILED,
            due_at=None,
            attempts=document.attempts + 1,
            settled_at=timezone.now(),
            error_code=code,
            error=error[:2000],
            chunk_count=0,
            chunks_done=0,
            reread=True,
        )


def release_document(
    claim: Claim, *, delay: float = 0.0, code: str = "", error: str = "", counted: bool = False
) -> None:
    """Give it back for another try, `delay` seconds from now. Raises DocumentLost."""
    with holding(claim) as document:
        _put_down(
            claim,
            DocumentState.PENDING,
            due_at=timezone.now() + timedelta(seconds=delay),
            attempts=document.attempts + counted,
            error_code=code,
            error=error[:2000],
        )
        if not delay:
            nudge_document(document.id, project_id=document.project_id)


def _put_down(claim: Claim, state: DocumentState, **values: Any) -> None:
    cleared = {"error_code": "", "error": "", "lease_token": None, "lease_until": None, "leased_by": ""}
    _held(claim).update(**{**cleared, "state": state, **values})


def _held(claim: Claim) -> Any:
    return Document.objects.filter(
        id=claim.document.id, state=DocumentState.PROCESSING, lease_token=claim.token
    )


def _lease_end() -> Any:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
