"""Writes a document's chunks at once, and embeds them batch by batch.

A chunk is written with its search data. The document counts the chunks that have a vector.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from time import monotonic
from typing import Any

from pgvector import HalfVector

from config.postgresql.rows import insert_of, rows_text
from config.postgresql.sessions import execute
from knowledge.chunking import Chunk
from knowledge.claim import holding
from knowledge.models import ChunkEmbedding, Document, DocumentChunk
from memory.retrieval.index.text import words_for_index
from providers.embeddings.base import Embedded, Embedder, embed_in_halves
from providers.errors import ProviderError
from worker.fairness import others_wait
from worker.worker_stats import stop_requested

_AT_ONCE = 500

# Computes the stems, and as BM25's text length the number of their positions.
_INSERT = insert_of(
    DocumentChunk,
    "chunks",
    source=""" JOIN unnest(%(words)s::text[]) WITH ORDINALITY AS read (words, number)
                 ON read.number = given.place - %(first)s + 1,
               LATERAL (SELECT to_tsvector(%(language)s::regconfig, read.words) AS lexemes) made""",
    lexemes="made.lexemes",
    length="coalesce((SELECT sum(cardinality(positions)) FROM unnest(made.lexemes)), 0)",
)


def replace_chunks(document: Document, chunks: Sequence[Chunk], *, language: str) -> None:
    """Replace a document's chunks. In the caller's transaction, with the document locked."""
    DocumentChunk.objects.filter(document_id=document.id).delete()
    for first in range(0, len(chunks), _AT_ONCE):
        rows = [
            DocumentChunk(document=document, companion_id=document.companion_id, place=place, **asdict(chunk))
            for place, chunk in enumerate(chunks[first : first + _AT_ONCE], start=first)
        ]
        words = [words_for_index(searched_text(row.heading, row.content)) for row in rows]
        asked = {"chunks": rows_text(rows), "words": words, "first": first, "language": language}
        execute(_INSERT, asked)


def searched_text(heading: str, content: str) -> str:
    """The text of a chunk that is searched and embedded."""
    return f"{heading}\n{content}" if heading else content


AT_ONCE = 32  # chunks; a call of about 25,000 tokens
MOST_REFUSED = 8  # chunks; if the first ones of a batch are all refused, the fault is not theirs


_Outcome = tuple[DocumentChunk, Embedded | ProviderError]  # one vector, or why there is none


def embed_chunks(claimed: Document, embedder: Embedder, *, seconds: float) -> bool:
    """Embed chunks until all are done or the worker stops; after each batch, end if others wait or `seconds` are over.
    Returns whether all chunks are done.

    A chunk that the embedder refuses can still be found by its text. Raises ProviderError, DocumentLost.
    """
    until = monotonic() + seconds
    while owed := _owed(claimed, embedder):
        if stop_requested():
            return False
        _store_vectors(claimed, _embed(owed, embedder))
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


def _embed(chunks: Sequence[DocumentChunk], embedder: Embedder) -> list[_Outcome]:
    """Embed a batch. Raises the refusal if the fault is not the chunks'."""
    outcomes: list[_Outcome] = []
    texts = [searched_text(chunk.heading, chunk.content) for chunk in chunks]
    for places, answer in embed_in_halves(texts, partial(embedder.embed, purpose="document")):
        if isinstance(answer, ProviderError):
            outcomes.append((chunks[places.start], answer))
            if len(outcomes) >= MOST_REFUSED and all(isinstance(one, ProviderError) for _, one in outcomes):
                raise answer
        else:
            alone = [replace(answer, vectors=answer.vectors[[place]]) for place in range(len(places))]
            outcomes += zip(chunks[places.start : places.stop], alone, strict=True)
    return outcomes


def _store_vectors(claimed: Document, outcomes: Sequence[_Outcome]) -> None:
    with holding(claimed) as document:
        vectors = []
        for chunk, answer in outcomes:
            if isinstance(answer, ProviderError):
                DocumentChunk.objects.filter(id=chunk.id).update(embed_error=answer.code)
                continue
            document.embedding_model, document.embedding_dimensions = answer.space
            vectors.append(
                ChunkEmbedding(
                    chunk_id=chunk.id,
                    companion_id=document.companion_id,
                    model=answer.model,
                    dimensions=answer.dimensions,
                    vector=HalfVector(answer.vectors[0]),
                )
            )
        ChunkEmbedding.objects.bulk_create(vectors)
        document.chunks_done = min(document.chunks_done + len(outcomes), document.chunk_count)
        # It made progress, so failed attempts count from zero.
        claimed.attempts = document.attempts = 0
        document.error = document.error_code = ""
        counted = ("chunks_done", "attempts", "error", "error_code")
        document.save(update_fields=[*counted, "embedding_model", "embedding_dimensions"])
