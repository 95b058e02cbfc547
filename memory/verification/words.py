"""Holds the words of the index against the texts that they are of."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from memory.models import SearchedKind
from memory.retrieval.index.rows import spoken
from memory.retrieval.index.text import words_for_index
from memory.verification.base import Page
from memory.verification.statements import AT_ONCE, rows

CHARACTERS_AT_ONCE = 4_000_000

_TEXTS = """
SELECT s.relationship_id, s.owner_id, s.kind, e.content
  FROM memory_searchtext s JOIN memory_scratchpadentry e ON e.relationship_id = s.relationship_id AND e.id = s.owner_id
 WHERE s.relationship_id = ANY(%(ids)s) AND s.kind = 'entry'
UNION ALL
SELECT s.relationship_id, s.owner_id, s.kind, m.content
  FROM memory_searchtext s JOIN relationships_message m ON m.relationship_id = s.relationship_id AND m.id = s.owner_id
 WHERE s.relationship_id = ANY(%(ids)s) AND s.kind = 'message' AND m.erased_at IS NULL
"""
# A language that this server does not have makes no words: such a row is as good as lost.
_OTHER = """
SELECT s.relationship_id, s.owner_id, s.kind
  FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::text[]) told (relationship_id, owner_id, kind, words)
  JOIN memory_searchtext s ON s.relationship_id = told.relationship_id AND s.kind = told.kind
   AND s.owner_id = told.owner_id
  LEFT JOIN pg_ts_config c ON c.cfgname = s.language AND c.cfgnamespace = 'pg_catalog'::regnamespace
 WHERE s.lexemes IS DISTINCT FROM to_tsvector(c.oid::regconfig, told.words)
    OR s.length <> (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(s.lexemes))
"""


class Told(NamedTuple):
    """A text as the index is to spell it."""

    relationship_id: UUID
    owner_id: UUID
    kind: str
    words: str


def rows_with_other_words(page: Page) -> Iterator[tuple[UUID, UUID, str]]:
    """Relationship, owner and kind of the rows that were not made of their text as it is now, in their language."""
    waiting: list[Told] = []
    characters = 0
    for relationship_id, owner_id, kind, content in rows(_TEXTS, page):
        said = content if kind == SearchedKind.ENTRY else spoken(content)
        waiting.append(Told(relationship_id, owner_id, kind, words_for_index(said)))
        characters += len(said)
        if len(waiting) >= AT_ONCE or characters >= CHARACTERS_AT_ONCE:
            yield from _other(waiting)
            waiting, characters = [], 0
    yield from _other(waiting)


def _other(told: Sequence[Told]) -> list[tuple[UUID, UUID, str]]:
    if not told:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_OTHER, [list(column) for column in zip(*told, strict=True)])
        return list(cursor.fetchall())
