"""Processes a document: reads it, cuts it into chunks, embeds them. Each step is kept, so that none is done twice."""

import traceback
from pathlib import Path
from time import monotonic
from uuid import UUID

import structlog
from django.conf import settings

from config.postgresql.sessions import database_went_away
from knowledge.chunking import cut_document
from knowledge.chunks import embed_chunks, replace_chunks
from knowledge.claim import (
    Claim,
    claim_document,
    fail_document,
    holding,
    keep_lease,
    note,
    release_document,
    settle_ready,
)
from knowledge.configured import configuration_of, embedder_for
from knowledge.errors import REASONS, DocumentLost, UnreadableDocument
from knowledge.models import DocumentChunk, DocumentFile
from knowledge.sandbox import parse_document
from providers.errors import ProviderError
from relationships.configuration.schema import Configuration
from relationships.models import Companion
from web.errors import InvalidConfiguration
from worker.leases import renewing, retry_delay

log = structlog.get_logger(__name__)

MOST_SECONDS = 60.0  # after so long a task hands over to another, so that no document starves the turns
INTERNAL_TRIES = 3  # of a document that trips over a mistake of ours


def process_document(*, document_id: UUID, worker: str) -> None:
    """Do what the document owes; nothing if it owes nothing, or somebody is at it."""
    claim = claim_document(document_id=document_id, worker=worker)
    if claim is None:
        return
    try:
        with renewing(lambda: keep_lease(claim)):
            _process(claim)
    except DocumentLost:
        log.info("a document is not ours any more", event_name="document.lost", document_id=str(document_id))


def _process(claim: Claim) -> None:
    started = monotonic()
    try:
        companion = _companion_of(claim)
        configuration = configuration_of(companion)
        if claim.document.reread:
            _cut(claim, configuration)
        embedder = embedder_for(configuration.knowledge)
        left = MOST_SECONDS - (monotonic() - started)
        if embedder is not None and not embed_chunks(claim, embedder, seconds=left):
            release_document(claim)
            return
        with holding(claim) as document:
            note(claim, chunks_done=document.chunk_count)
            settle_ready(claim)
    except UnreadableDocument as error:
        _fail(claim, error.code, str(error))
    except InvalidConfiguration as error:
        _fail(claim, error.code, str(error))
    except ProviderError as error:
        _wait_or_fail(claim, error)
    except DocumentLost:
        raise
    except Exception as error:
        if database_went_away(error):
            raise  # the lease brings the document back
        _stumble(claim, error)
    else:
        log.info("a document is ready", event_name="document.ready", **_ids(claim))


def _companion_of(claim: Claim) -> Companion:
    companion = Companion.objects.select_related("project").filter(id=claim.document.companion_id).first()
    if companion is None:
        raise DocumentLost("The companion was erased.")
    return companion


def _cut(claim: Claim, configuration: Configuration) -> None:
    """Read the file, and put its chunks in the place of those that were there."""
    knowledge, language = configuration.knowledge, configuration.retrieval.language or "simple"
    file = DocumentFile.objects.filter(document_id=claim.document.id).first()
    if file is None:
        raise DocumentLost("The document was deleted.")
    parsed = parse_document(bytes(file.content), kind=claim.document.kind)
    chunks = cut_document(parsed.blocks, tokens=knowledge.chunk_tokens, overlap=knowledge.overlap_tokens)
    others = DocumentChunk.objects.filter(companion_id=claim.document.companion_id)
    if others.exclude(document_id=claim.document.id).count() + len(chunks) > knowledge.max_chunks:
        raise UnreadableDocument("too_many_chunks")
    with holding(claim) as document:
        replace_chunks(document, chunks, language=language)
        note(
            claim,
            reread=False,
            pages=parsed.pages,
            characters=sum(len(block.text) for block in parsed.blocks),
            language=language,
            chunk_count=len(chunks),
            chunks_done=0,
            embedding_model="",
            embedding_dimensions=None,
        )


def _wait_or_fail(claim: Claim, error: ProviderError) -> None:
    """What a person must mend first does not count against the document."""
    attempts = claim.document.attempts
    if error.permanent or (not error.blocks and attempts + 1 >= settings.MAX_ATTEMPTS):
        _fail(claim, error.code, str(error))
        return
    delay = retry_delay(attempts, error.retry_after)
    release_document(claim, delay=delay, code=error.code, error=str(error), counted=not error.blocks)
    log.warning(
        "a document waits for the embedder", event_name="document.waiting", code=error.code, **_ids(claim)
    )


def _stumble(claim: Claim, error: Exception) -> None:
    """A mistake of ours, tried again a few times. Only its kind and place are kept: its text may quote the file."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
    log.error("a mistake of ours", event_name="document.internal_error", where=where, **_ids(claim))
    attempts = claim.document.attempts
    if attempts + 1 >= INTERNAL_TRIES:
        _fail(claim, "internal_error", REASONS["internal_error"])
        return
    delay = retry_delay(attempts, None)
    release_document(claim, delay=delay, code="internal_error", error=REASONS["internal_error"], counted=True)


def _fail(claim: Claim, code: str, reason: str) -> None:
    fail_document(claim, code=code, error=reason)
    log.warning("a document failed", event_name="document.failed", code=code, **_ids(claim))


def _ids(claim: Claim) -> dict[str, str]:
    return {"document_id": str(claim.document.id), "companion_id": str(claim.document.companion_id)}
