"""Writes a document's chunks, all at once, and gives them their vectors, batch after batch.

What search reads of a chunk is written with it; how far the vectors have come stands on the document.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from knowledge.chunking import Chunk
from knowledge.claim import holding
from knowledge.models import ChunkEmbedding, Document, DocumentChunk
from memory.retrieval.index.text import words_for_index
from providers.embeddings.base import Embedder, Space
from providers.errors import PermanentProviderError
from relationships.ids import uuid7
from worker.fairness import others_wait
from worker.worker_stats import stop_requested

_AT_ONCE = 500

# The stems are made here, and counted: BM25 takes the positions of all of them for a text's length.
_INSERT = """
INSERT INTO context_documentchunk (id, document_id, companion_id, place, page_from, page_to, heading, content,
                                   repeats, tokens, lexemes, length, embed_error)
SELECT given.id, %(document)s, %(companion)s, given.place, given.page_from, given.page_to, given.heading,
       given.content, given.repeats, given.tokens, made.lexemes,
       coalesce((SELECT sum(cardinality(positions)) FROM unnest(made.lexemes)), 0), ''
  FROM unnest(%(ids)s::uuid[], %(places)s::int[], %(pages_from)s::int[], %(pages_to)s::int[], %(headings)s::text[],
              %(contents)s::text[], %(repeats)s::int[], %(tokens)s::int[], %(words)s::text[])
       AS given (id, place, page_from, page_to, heading, content, repeats, tokens, words),
       LATERAL (SELECT to_tsvector(%(language)s::regconfig, given.words) AS lexemes) made
"""


def replace_chunks(document: Document, chunks: Sequence[Chunk], *, language: str) -> None:
    """These chunks instead of those that were there. In the caller's transaction, with the document locked."""
    DocumentChunk.objects.filter(document_id=document.id).delete()
    for places in _batches(len(chunks)):
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, _columns(document, chunks, places, language))


def searched_text(heading: str, content: str) -> str:
    """What of a chunk is searched and embedded."""
    return f"{heading}\n{content}" if heading else content


def _batches(count: int) -> Iterator[range]:
    for start in range(0, count, _AT_ONCE):
        yield range(start, min(count, start + _AT_ONCE))


def _columns(document: Document, chunks: Sequence[Chunk], places: range, language: str) -> dict[str, Any]:
    some = [chunks[place] for place in places]
    return {
        "document": document.id,
        "companion": document.companion_id,
        "language": language,
        "ids": [uuid7() for _ in some],
        "places": list(places),
        "pages_from": [chunk.page_from for chunk in some],
        "pages_to": [chunk.page_to for chunk in some],
        "headings": [chunk.heading for chunk in some],
        "contents": [chunk.content for chunk in some],
        "repeats": [chunk.repeats for chunk in some],
        "tokens": [chunk.tokens for chunk in some],
        "words": [words_for_index(searched_text(chunk.heading, chunk.content)) for chunk in some],
    }


AT_ONCE = 32  # chunks: a call of some 25,000 tokens
MOST_REFUSED = 8  # chunks of one batch, with none taken: then it is not the chunks' fault


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A chunk's vector; or why it gets none."""

    chunk: DocumentChunk
    space: Space | None = None
    vector: NDArray[np.float32] | None = None
    refused: str = ""


def embed_chunks(claimed: Document, embedder: Embedder, *, seconds: float) -> bool:
    """Until every chunk is done, the worker stops, or after a batch if others wait or `seconds` are over; whether
    every chunk is done.

    A chunk that the embedder refuses is left to be found by its text. Raises ProviderError, DocumentLost.
    """
    until = monotonic() + seconds
    while owed := _owed(claimed, embedder):
        if stop_requested():
            return False
        _keep(claimed, _embed(owed, embedder, []))
        if monotonic() > until or others_wait():
            return not _owed(claimed, embedder)
    return True


def _owed(claimed: Document, embedder: Embedder) -> list[DocumentChunk]:
    space: dict[str, Any] = {"model": embedder.model}
    if embedder.dimensions is not None:
        space["dimensions"] = embedder.dimensions
    embedded = ChunkEmbedding.objects.filter(chunk__document_id=claimed.id, **space)
    owed = DocumentChunk.objects.filter(document_id=claimed.id, embed_error="")
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


def _keep(claimed: Document, outcomes: Sequence[_Outcome]) -> None:
    space = next((outcome.space for outcome in outcomes if outcome.space), None)
    with holding(claimed) as document:
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
        document.chunks_done = min(document.chunks_done + len(outcomes), document.chunk_count)
        if space is not None:
            document.embedding_model, document.embedding_dimensions = space
        document.save(update_fields=["chunks_done", "embedding_model", "embedding_dimensions"])
