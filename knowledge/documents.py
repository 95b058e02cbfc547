"""Adds, finds and removes a companion's documents."""

import hashlib
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from knowledge.claim import enqueue_document
from knowledge.errors import DocumentBusy, EmptyDocument, TooManyDocuments
from knowledge.kinds import kind_of, names_kind
from knowledge.models import Document, DocumentFile, DocumentState
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Companion
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor


def configuration_of(companion: Companion) -> Configuration:
    """The configuration for a companion's documents: project and companion levels. Raises InvalidConfiguration."""
    return resolve_configuration(project=companion.project.config, companion=companion.config).values


@transaction.atomic
def add_document(
    *, project_id: UUID, companion_id: UUID, name: str, content: bytes, by: Actor, file_name: str = ""
) -> tuple[Document, bool]:
    """Add a document. Returns it, and whether it is new: the same bytes are the same document, whatever their name.

    `file_name`: the file's own name, if the document is cited by another one.
    Raises NotFound, EmptyDocument, UnknownKind, TooManyDocuments, InvalidConfiguration.
    """
    if not content:
        raise EmptyDocument("The file is empty.")
    companion = _locked(project_id, companion_id)
    its = Document.objects.of_companion(project_id, companion_id)
    sha256 = hashlib.sha256(content).digest()
    known = its.filter(sha256=sha256).first()
    if known is not None:
        return known, False
    kind = kind_of(content, name=file_name if names_kind(file_name) else name)
    most, count = configuration_of(companion).knowledge.max_documents, its.count()
    if count >= most:
        detail = f"The companion has {count} documents, and knowledge.max_documents is {most}. Delete one or raise it."
        raise TooManyDocuments(detail, limit=most, count=count)
    document = Document.objects.create(
        project_id=project_id,
        companion_id=companion_id,
        name=name,
        kind=kind,
        sha256=sha256,
        size=len(content),
        due_at=timezone.now(),
        added_by_kind=by.kind,
        added_by_id=by.id,
    )
    DocumentFile.objects.create(document=document, content=content)
    _audit(document, "document.added", by)
    enqueue_document(document)
    return document, True


def get_document(
    *, project_id: UUID, companion_id: UUID, document_id: UUID, locked: bool = False
) -> Document:
    """Get a document. `locked`: lock its row, inside a transaction. Raises NotFound."""
    rows = Document.objects.of_companion(project_id, companion_id)
    rows = rows.select_for_update() if locked else rows
    document: Document = require(rows.filter(id=document_id), "document")
    return document


@transaction.atomic
def reread_document(*, project_id: UUID, companion_id: UUID, document_id: UUID, by: Actor) -> Document:
    """Retry a failed document, or read a ready one again under the current configuration.

    A ready one is found by its old chunks until the new ones are there. A waiting one becomes due now.
    Raises NotFound, DocumentBusy.
    """
    document = get_document(
        project_id=project_id, companion_id=companion_id, document_id=document_id, locked=True
    )
    if document.state == DocumentState.PROCESSING:
        raise DocumentBusy("The document is being read. Wait until it is ready or failed.")
    if document.state != DocumentState.PENDING:
        document.reread = True
    document.state, document.due_at, document.attempts = DocumentState.PENDING, timezone.now(), 0
    document.error_code = document.error = ""
    document.settled_at = None
    document.save()
    _audit(document, "document.reread", by)
    enqueue_document(document)
    return document


@transaction.atomic
def delete_document(*, project_id: UUID, companion_id: UUID, document_id: UUID, by: Actor) -> None:
    """Delete the document with its file and chunks. A worker that is reading it loses it. Raises NotFound."""
    document = get_document(
        project_id=project_id, companion_id=companion_id, document_id=document_id, locked=True
    )
    _audit(document, "document.deleted", by)
    document.delete()


def _locked(project_id: UUID, companion_id: UUID) -> Companion:
    """Lock the companion's row, so that uploads run one by one. Rows that refer to it can still be inserted."""
    rows = Companion.objects.of_project(project_id).select_related("project")
    companion: Companion = require(
        rows.select_for_update(of=("self",), no_key=True).filter(id=companion_id), "companion"
    )
    return companion


def _audit(document: Document, action: str, by: Actor) -> None:
    detail = {"companion_id": str(document.companion_id), "size": document.size, "kind": document.kind}
    audit_row(document, action, by, **detail)
