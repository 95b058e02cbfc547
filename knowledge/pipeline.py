"""Processes a document: reads it, cuts it into chunks, embeds them. Each step is stored, so it is not repeated."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from uuid import UUID

import structlog
from django.db import transaction
from django.utils import timezone

from config.postgresql.sessions import execute
from knowledge.chunking import cut_document
from knowledge.chunks import embed_chunks, replace_chunks
from knowledge.claim import claim_document, fail_document, hand_over, holding
from knowledge.documents import configuration_of
from knowledge.errors import REASONS, DocumentLost
from knowledge.models import Document, DocumentChunk, DocumentFile, DocumentState
from knowledge.parsing.base import Unreadable
from knowledge.sandbox import parse_document
from memory.retrieval.index.language import NO_STEMS, SAMPLE, known_languages, language_of
from providers.embeddings.registry import embedder_of
from relationships.configuration.schema import Configuration
from relationships.models import Companion
from worker.failures import Failure
from worker.identity import worker_identity
from worker.leases import keeping
from worker.readers import task

log = structlog.get_logger(__name__)

MOST_SECONDS = 60.0  # then the task hands over to a new one, so that turns get workers too


def process_document(*, document_id: UUID, worker: str) -> None:
    """Do what the document owes, if anything, and if no other worker holds it."""
    claimed = claim_document(document_id=document_id, worker=worker)
    if claimed is None:
        return
    try:
        with keeping(claimed):
            _process(claimed)
    except DocumentLost:
        log.info("lost the lease of a document", event_name="document.lost", document_id=str(document_id))


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
            hand_over(claimed)
            return
        with holding(claimed) as document:
            claimed.held_row().settle(
                state=DocumentState.READY,
                attempts=0,
                chunks_done=document.chunk_count,
                settled_at=timezone.now(),
                error_code="",
                error="",
            )
    except Unreadable as error:
        fail_document(claimed, error.code, REASONS[error.code])
    except DocumentLost:
        raise
    except Exception as error:
        _give_back(claimed, Failure.of(error, attempts=claimed.attempts))
    else:
        log.info("a document is ready", event_name="document.ready", **claimed.ids)


def _companion_of(claimed: Document) -> Companion:
    companion = Companion.objects.select_related("project").filter(id=claimed.companion_id).first()
    if companion is None:
        raise DocumentLost("The companion was erased.")
    return companion


def _cut(claimed: Document, configuration: Configuration) -> None:
    """Read the file and replace the document's chunks."""
    knowledge = configuration.knowledge
    file = DocumentFile.objects.filter(document_id=claimed.id).first()
    if file is None:
        raise DocumentLost("The document was deleted.")
    parsed = parse_document(bytes(file.content), kind=claimed.kind)
    language = configuration.retrieval.language or _language_of([block.text for block in parsed.blocks])
    chunks = cut_document(parsed.blocks, tokens=knowledge.chunk_tokens, overlap=knowledge.overlap_tokens)
    with _adding_chunks(claimed, len(chunks), most=knowledge.max_chunks), holding(claimed) as document:
        replace_chunks(document, chunks, language=language)
        claimed.held_row().update(
            reread=False,
            pages=parsed.pages,
            picture_pages=parsed.picture_pages,
            characters=sum(len(block.text) for block in parsed.blocks),
            language=language,
            chunk_count=len(chunks),
            chunks_done=0,
            embedding_model="",
            embedding_dimensions=None,
        )


@contextmanager
def _adding_chunks(claimed: Document, more: int, *, most: int) -> Iterator[None]:
    """A transaction in which the companion may get as many chunks for this document. Raises Unreadable.

    Its documents are counted and written one by one. The companion's own row stays free, so no upload waits.
    """
    with transaction.atomic():
        execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"chunks of {claimed.companion_id}"]
        )
        others = DocumentChunk.objects.filter(companion_id=claimed.companion_id)
        if others.exclude(document_id=claimed.id).count() + more > most:
            raise Unreadable("too_many_chunks")
        yield


def _language_of(texts: Sequence[str]) -> str:
    """The text search configuration for the document's language, found from texts all over it."""
    found = language_of(texts[:: 1 + len(texts) // SAMPLE])
    return found if found in known_languages() else NO_STEMS


def _give_back(claimed: Document, failure: Failure) -> None:
    """Release the document for a retry, or fail it. Details of our own mistakes, which may quote the file, go to the
    log only.
    """
    error = REASONS["internal_error"] if failure.is_ours else failure.error
    if failure.is_ours:
        log.error(
            "unexpected error", event_name="document.internal_error", where=failure.error, **claimed.ids
        )
    if failure.delay is None:
        fail_document(claimed, failure.code, error)
        return
    with holding(claimed):
        failure.release(claimed.held_row(), error=error)
    if not failure.is_ours:
        log.warning(
            "a document waits for the embedder",
            event_name="document.waiting",
            code=failure.code,
            **claimed.ids,
        )


@task
def process(document_id: UUID) -> None:
    """Process a document. If the worker dies, the document is due again when its lease ends."""
    process_document(document_id=document_id, worker=worker_identity())
