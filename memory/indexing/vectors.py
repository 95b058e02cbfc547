"""Writes vectors, where the text is still the one that was embedded, and takes away those that nobody compares."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from memory.embedders.base import Embedded, Space
from relationships.ids import uuid7


@dataclass(frozen=True, slots=True)
class OwedText:
    """A text to be embedded. `text` as the model is to read it, `text_hash` of the one it was made from."""

    kind: str
    owner_id: UUID
    text: str
    text_hash: bytes


# The rows of the index say what is still there: an erased or changed text has none with this hash.
_WRITE = """
INSERT INTO memory_embedding
       (relationship_id, id, project_id, kind, owner_id, model, dimensions, vector, text_hash, recorded_at)
SELECT s.relationship_id, g.id, s.project_id, s.kind, s.owner_id, %(model)s, %(dimensions)s, g.vector::halfvec,
       s.text_hash, %(now)s
  FROM unnest(%(ids)s::uuid[], %(kinds)s::text[], %(owners)s::uuid[], %(hashes)s::bytea[], %(vectors)s::text[])
       AS g (id, kind, owner_id, text_hash, vector)
  JOIN memory_searchtext s
    ON s.relationship_id = %(relationship)s AND s.kind = g.kind AND s.owner_id = g.owner_id
   AND s.text_hash = g.text_hash
ON CONFLICT (relationship_id, kind, model, dimensions, owner_id) DO UPDATE
   SET vector = EXCLUDED.vector, text_hash = EXCLUDED.text_hash, recorded_at = EXCLUDED.recorded_at
"""
_DROP_OTHERS = """
DELETE FROM memory_embedding
 WHERE relationship_id = %s AND (kind, model, dimensions, owner_id) IN (
       SELECT kind, model, dimensions, owner_id FROM memory_embedding
        WHERE relationship_id = %s AND (model, dimensions) <> (%s, %s) LIMIT %s)
"""
_ROWS_AT_ONCE = 5_000


def write_vectors(
    relationship_id: UUID, texts: Sequence[OwedText], embedded: Embedded, *, now: datetime
) -> int:
    """One vector for each text, in order; how many were written. Call under the relationship's row lock."""
    vectors = [HalfVector(vector).to_text() for vector in embedded.vectors]
    told: dict[str, Any] = {
        "relationship": relationship_id,
        "model": embedded.model,
        "dimensions": embedded.dimensions,
        "now": now,
        "ids": [uuid7() for _ in texts],
        "kinds": [text.kind for text in texts],
        "owners": [text.owner_id for text in texts],
        "hashes": [text.text_hash for text in texts],
        "vectors": vectors,
    }
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, told)
        written: int = cursor.rowcount
    return written


def drop_other_spaces(relationship_id: UUID, kept: Space) -> int:
    """Delete the relationship's vectors of every other model, in short statements. How many."""
    dropped = 0
    told: list[Any] = [relationship_id, relationship_id, kept.model, kept.dimensions, _ROWS_AT_ONCE]
    with connection.cursor() as cursor:
        while True:
            cursor.execute(_DROP_OTHERS, told)
            some: int = cursor.rowcount
            dropped += some
            if some < _ROWS_AT_ONCE:
                return dropped
