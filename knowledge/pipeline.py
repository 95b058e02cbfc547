"""Processes a document: reads it, cuts it into chunks, embeds them. Each step is kept, so that none is done twice."""

from time import monotonic
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone

from config.postgresql.sessions import database_went_away
from knowledge.chunking import cut_document
from knowledge.chunks import embed_chunks, replace_chunks
from knowledge.claim import (
    claim_document,
    claimed_row,
    fail_document,
    holding,
    keep_lease,
    release_document,
)
from knowledge.documents import configuration_of
from knowledge.errors import REASONS, DocumentLost, UnreadableDocument
from knowledge.models import Document, DocumentChunk, DocumentFile, DocumentState
from knowledge.sandbox import parse_document
from providers.embeddings import embedder_of
from providers.errors import ProviderError
from relationships.configuration.schema import Configuration
from relationships.models import Companion
from web.errors import InvalidConfiguration
from worker.identity import worker_identity
from worker.leases import error_place, renewing, retry_delay
from worker.readers import task

log = structlog.get_logger(__name__)

MOST_SECONDS = 60.0  # after so long a task hands over to another, so that no document starves the turns
INTERNAL_TRIES = 3  # of a document that trips over a mistake of ours


def process_document(*, document_id: UUID, worker: str) -> None:
    """Do what the document owes; nothing if it owes nothing, or somebody is at it."""
    claimed = claim_document(document_id=document_id, worker=worker)
    if claimed is None:
        return
    try:
        with renewing(lambda: keep_lease(claimed)):
            _process(claimed)
    except DocumentLost:
        log.info("a document is not ours any more", event_name="document.lost", document_id=str(document_id))


def _process(claimed: Document) -> None:
    started = monotonic()
    try:
        companion = _companion_of(claimed)
        configuration = configuration_of(companion)
        if claimed.reread:
            _cut(claimed, configuration)
        embedder = embedder_of(configuration.knowledge.embedder_alias)
        left = MOST_SECONDS - (monotonic() - started)
        if embedder is not None and not embed_chunks(claimed, embedder, seconds=left):
            release_document(claimed)
            return
        with holding(claimed) as document:
            claimed_row(claimed).settle(
                state=DocumentState.READY,
                due_at=None,
                attempts=0,
                chunks_done=document.chunk_count,
                settled_at=timezone.now(),
                error_code="",
                error="",
            )
    except (UnreadableDocument, InvalidConfiguration) as error:
        _fail(claimed, error.code, str(error))
    except ProviderError as error:
        _wait_or_fail(claimed, error)
    except DocumentLost:
        raise
    except Exception as error:
        if database_went_away(error):
            raise  # the lease brings the document back
        _handle_internal_error(claimed, error)
    else:
        log.info("a document is ready", event_name="document.ready", **_ids(claimed))


def _companion_of(claimed: Document) -> Companion:
    companion = Companion.objects.select_related("project").filter(id=claimed.companion_id).first()
    if companion is None:
        raise DocumentLost("The companion was erased.")
    return companion


def _cut(claimed: Document, configuration: Configuration) -> None:
    """Read the file, and put its chunks in the place of those that were there."""
    knowledge, language = configuration.knowledge, configuration.retrieval.language or "simple"
    file = DocumentFile.objects.filter(document_id=claimed.id).first()
    if file is None:
        raise DocumentLost("The document was deleted.")
    parsed = parse_document(bytes(file.content), kind=claimed.kind)
    chunks = cut_document(parsed.blocks, tokens=knowledge.chunk_tokens, overlap=knowledge.overlap_tokens)
    others = DocumentChunk.objects.filter(companion_id=claimed.companion_id)
    if others.exclude(document_id=claimed.id).count() + len(chunks) > knowledge.max_chunks:
        raise UnreadableDocument("too_many_chunks")
    with holding(claimed) as document:
        replace_chunks(document, chunks, language=language)
        claimed_row(claimed).update(
            reread=False,
            pages=parsed.pages,
            characters=sum(len(block.text) for block in parsed.blocks),
            language=language,
            chunk_count=len(chunks),
            chunks_done=0,
            embedding_model="",
            embedding_dimensions=None,
        )


def _wait_or_fail(claimed: Document, error: ProviderError) -> None:
    """What a person must mend first does not count against the document."""
    attempts = claimed.attempts
    if error.permanent or (error.counts and attempts + 1 >= settings.MAX_ATTEMPTS):
        _fail(claimed, error.code, str(error))
        return
    delay = retry_delay(attempts, error.retry_after)
    release_document(claimed, delay=delay, code=error.code, error=str(error), counted=error.counts)
    log.warning(
        "a document waits for the embedder", event_name="document.waiting", code=error.code, **_ids(claimed)
    )


def _handle_internal_error(claimed: Document, error: Exception) -> None:
    """A mistake of ours, tried again a few times. Only its kind and place are kept: its text may quote the file."""
    log.error(
        "a mistake of ours", event_name="document.internal_error", where=error_place(error), **_ids(claimed)
    )
    attempts = claimed.attempts
    if attempts + 1 >= INTERNAL_TRIES:
        _fail(claimed, "internal_error", REASONS["internal_error"])
        return
    delay = retry_delay(attempts, None)
    release_document(
        claimed, delay=delay, code="internal_error", error=REASONS["internal_error"], counted=True
    )


def _fail(claimed: Document, code: str, reason: str) -> None:
    fail_document(claimed, code=code, error=reason)
    log.warning("a document failed", event_name="document.failed", code=code, **_ids(claimed))


def _ids(claimed: Document) -> dict[str, str]:
    return {"document_id": str(claimed.id), "companion_id": str(claimed.companion_id)}


@task
def process(document_id: UUID) -> None:
    """Do what the document owes. What was taken falls due when its lease ends."""
    process_document(document_id=document_id, worker=worker_identity())
