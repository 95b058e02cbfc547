"""Embed the due texts of a relationship: claim them, call the embedder, write the vectors."""

from collections.abc import Sequence
from time import monotonic
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from config.postgresql.sessions import database_went_away
from memory.retrieval.index.configs import RelationshipConfig, config_of
from memory.retrieval.index.gaps import owe_gaps
from memory.retrieval.index.queue import (
    INTERNAL_ERROR,
    TextClaim,
    block,
    claim_texts,
    give_up,
    hand_back,
    keep_lease,
    keep_vectors,
    put_off,
)
from memory.retrieval.index.vectors import OwedText
from providers.embeddings.base import Embedded, Embedder, embed_in_halves
from providers.embeddings.registry import embedder_of
from providers.errors import ProviderError
from worker.enqueue import enqueue_embedding
from worker.fairness import others_wait, project_of
from worker.leases import error_place, renewing, retry_delay
from worker.worker_stats import stop_requested

log = structlog.get_logger(__name__)

MOST_SECONDS = (
    30.0  # after which a task leaves the rest to another one, so that no relationship starves others
)
SHORTENED = 2_000  # characters of a text that was refused as a whole: its beginning is better than nothing
INVALID_CONFIGURATION = "invalid_configuration"


def embed_owed(*, relationship_id: UUID) -> None:
    """Embed what is due in one relationship, batch by batch, until nothing is left, it must wait, or others wait."""
    started = monotonic()
    while not stop_requested():
        wanted = config_of(relationship_id)
        if wanted is None or not _step(wanted):
            return
        if monotonic() - started > MOST_SECONDS or others_wait():
            break
    with transaction.atomic():
        enqueue_embedding(relationship_id, project_id=project_of(relationship_id))


def _step(wanted: RelationshipConfig) -> bool:
    """Process one claim, or search for gaps if nothing is due. False: there is nothing more to do for now."""
    relationship_id, retrieval = wanted.relationship_id, wanted.retrieval
    if retrieval is None:
        _block(relationship_id, INVALID_CONFIGURATION, float(settings.RETRY_CAP_SECONDS))
        return False
    try:
        embedder = embedder_of(retrieval.embedder)
    except ProviderError as error:
        _block(relationship_id, error.code, retry_delay(0, error.retry_after))
        return False
    claim = claim_texts(relationship_id, retrieval, embedder)
    if embedder is None:
        return False
    if claim is None:
        return owe_gaps(relationship_id, retrieval, embedder) > 0
    try:
        with renewing(lambda: keep_lease(claim)):
            return _embed(claim, embedder)
    except Exception as error:
        if database_went_away(error):
            hand_back(claim)
            raise
        _handle_internal_error(claim, error)
        return False


def _embed(claim: TextClaim, embedder: Embedder) -> bool:
    """Embed a claim. False: the embedder fails for now, so the texts wait."""
    settled = 0

    def ask(texts: Sequence[str]) -> Embedded:
        try:
            return embedder.embed(texts, purpose="document")
        except ProviderError as error:
            if error.permanent and len(texts) == 1 and len(texts[0]) > SHORTENED:
                return embedder.embed([texts[0][:SHORTENED]], purpose="document")
            raise

    try:
        for places, answer in embed_in_halves([text.text for text in claim.texts], ask):
            texts = claim.texts[places.start : places.stop]
            if isinstance(answer, ProviderError):
                _give_up(claim, texts[0], answer)
            else:
                _keep(claim, texts, answer)
            settled = places.stop
    except ProviderError as error:
        _wait(claim, claim.texts[settled:], error)
        return False
    return True


def _keep(claim: TextClaim, texts: Sequence[OwedText], embedded: Embedded) -> None:
    written = keep_vectors(claim, texts, embedded)
    log.info(
        "embedded texts",
        event_name="indexing.texts.embedded",
        texts=written,
        model=embedded.model,
        milliseconds=round(embedded.milliseconds, 1),
        relationship_id=str(claim.relationship_id),
    )


def _give_up(claim: TextClaim, text: OwedText, error: ProviderError) -> None:
    give_up(claim, [text], code=error.code)
    log.warning(
        "a text could not be embedded",
        event_name="indexing.text.failed",
        code=error.code,
        kind=text.kind,
        owner_id=str(text.owner_id),
        relationship_id=str(claim.relationship_id),
    )


def _wait(claim: TextClaim, texts: Sequence[OwedText], error: ProviderError) -> None:
    """After a transient failure, let the texts wait. What an operator must fix never counts against a text."""
    delay = retry_delay(claim.attempts, error.retry_after)
    put_off(claim, texts, code=error.code, delay=delay, counted=error.counts)
    _log_waiting(claim.relationship_id, error.code, delay)


def _block(relationship_id: UUID, code: str, delay: float) -> None:
    block(relationship_id, code=code, delay=delay)
    _log_waiting(relationship_id, code, delay)


def _log_waiting(relationship_id: UUID, code: str, delay: float) -> None:
    log.warning(
        "texts wait for the embedder",
        event_name="indexing.texts.waiting",
        code=code,
        seconds=round(delay, 2),
        relationship_id=str(relationship_id),
    )


def _handle_internal_error(claim: TextClaim, error: Exception) -> None:
    """After an internal error, retry in ever smaller batches; then the text that causes it gets no vector.

    Only the kind and place of the error are stored, as its text may quote a person.
    """
    log.error(
        "unexpected error",
        event_name="indexing.internal_error",
        where=error_place(error),
        relationship_id=str(claim.relationship_id),
    )
    delay = retry_delay(claim.attempts, None)
    put_off(claim, claim.texts, code=INTERNAL_ERROR, delay=delay, counted=True)
