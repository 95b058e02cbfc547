"""Gives a document's chunks their vectors, batch after batch; how far it has come stands on the document."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from context.knowledge.chunk_rows import searched_text
from context.knowledge.claim import Claim, holding, note
from context.models import ChunkEmbedding, DocumentChunk
from memory.embedders.base import Embedder, Space
from memory.providers.errors import PermanentProviderError
from memory.queue.fairness import others_wait
from memory.queue.worker_stats import stop_requested

AT_ONCE = 32  # chunks: a call of some 25,000 tokens
MOST_REFUSED = 8  # chunks of one batch, with none taken: then it is not the chunks' fault


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A chunk's vector; or why it gets none."""

    chunk: DocumentChunk
    space: Space | None = None
    vector: NDArray[np.float32] | None = None
    refused: str = ""


def embed_chunks(claim: Claim, embedder: Embedder, *, seconds: float) -> bool:
    """Until every chunk is done, the worker stops, or after a batch if others wait or `seconds` are over; whether
    every chunk is done.

    A chunk that the embedder refuses is left to be found by its text. Raises ProviderError, DocumentLost.
    """
    until = monotonic() + seconds
    while owed := _owed(claim, embedder):
        if stop_requested():
            return False
        _keep(claim, _embed(owed, embedder, []))
        if monotonic() > until or others_wait():
            return not _owed(claim, embedder)
    return True


def _owed(claim: Claim, embedder: Embedder) -> list[DocumentChunk]:
    space: dict[str, Any] = {"model": embedder.model}
    if embedder.dimensions is not None:
        space["dimensions"] = embedder.dimensions
    embedded = ChunkEmbedding.objects.filter(chunk__document_id=claim.document.id, **space)
    owed = DocumentChunk.objects.filter(document_id=claim.document.id, embed_error="")
    return list(owed.exclude(id__in=embedded.values("chunk_id")).order_by("place").defer("lexemes")[:AT_ONCE])


def _embed(chunks: Sequence[DocumentChunk], embedder: Embedder, before: list[_Outcome]) -> list[_Outcome]:
    """`before` and what becomes of these: of all at once, or half by half where they are refused together."""
    try:
        texts = [searched_text(chunk.heading, chunk.content) for chunk in chunks]
        embedded = embedder.embed(texts, purpose="document")
    except PermanentProviderError as error:
        if len(chunks) > 1:
            middle = len(chunks) // 2
            return _embed(chunks[middle:], embedder, _embed(chunks[:middle], embedder, before))
        if len(before) + 1 >= MOST_REFUSED and all(outcome.refused for outcome in before):
            raise
        return [*before, _Outcome(chunks[0], refused=error.code)]
    vectors = zip(chunks, embedded.vectors, strict=True)
    return [*before, *(_Outcome(chunk, embedded.space, vector) for chunk, vector in vectors)]


def _keep(claim: Claim, outcomes: Sequence[_Outcome]) -> None:
    space = next((outcome.space for outcome in outcomes if outcome.space), None)
    with holding(claim) as document:
        for outcome in outcomes:
            if outcome.refused:
                DocumentChunk.objects.filter(id=outcome.chunk.id).update(embed_error=outcome.refused)
        ChunkEmbedding.objects.bulk_create(
            ChunkEmbedding(
                chunk_id=outcome.chunk.id,
                companion_id=document.companion_id,
                model=outcome.space.model,
                dimensions=outcome.space.dimensions,
                vector=HalfVector(outcome.vector),
            )
            for outcome in outcomes
            if outcome.space is not None and outcome.vector is not None
        )
        note(claim, chunks_done=min(document.chunks_done + len(outcomes), document.chunk_count))
        if space is not None:
            note(claim, embedding_model=space.model, embedding_dimensions=space.dimensions)
