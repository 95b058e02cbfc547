"""Writes a document's chunks, all at once, with what search reads of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from context.knowledge.chunking import Chunk
from context.models import Document, DocumentChunk
from memory.retrieval.index.text import words_for_index
from relationships.ids import uuid7

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
