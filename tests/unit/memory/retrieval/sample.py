"""A relationship with many entries: rows in the tables, with vectors and words of their own, and no model asked."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from pgvector import Vector

from relationships.ids import uuid7
from relationships.models import Relationship

MODEL, DIMENSIONS = "sample", 8
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)

Units = NDArray[np.float32]

_ENTRIES = """
INSERT INTO memory_scratchpadentry
    (relationship_id, id, project_id, type, tier, state, subject, content, content_hash, single_valued, importance,
     confidence, weight, pinned, read_only, tags, metadata, modality, source, source_message_ids, recorded_at,
     effective_at, access_count, version)
SELECT %(relationship)s, id, %(project)s, 'event', 'archive', 'active', 'user', said, sha256(said::bytea), false,
       (place %% 10 + 1) / 10.0, 1, 1, false, false, '{}', '{}', 'text', 'api', '{}', %(noon)s,
       %(noon)s::timestamptz - place * interval '1 hour', 0, 1
  FROM (SELECT id, n - 1 AS place, format('word%%s item%%s%%s', (n - 1) %% 50, n - 1, %(mark)s::text) AS said
          FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS t (id, n)) g
"""
_TEXTS = """
INSERT INTO memory_searchtext
    (relationship_id, id, project_id, kind, owner_id, place, session, role, speaker, state, tier, told_at, language,
     lexemes, length, text_hash, attempts, error_code)
SELECT relationship_id, id, project_id, 'entry', id, 0, '', '', subject, state, tier, effective_at, 'simple',
       to_tsvector('simple', content), 2, content_hash, 0, ''
  FROM memory_scratchpadentry WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s)
"""
_VECTORS = """
INSERT INTO memory_embedding
    (relationship_id, id, project_id, kind, owner_id, model, dimensions, vector, text_hash, recorded_at)
SELECT %(relationship)s, gen_random_uuid(), %(project)s, 'entry', id, %(model)s, %(dimensions)s, vector::halfvec, '', %(noon)s
  FROM unnest(%(ids)s::uuid[], %(vectors)s::text[]) AS t (id, vector)
"""


def units(count: int, *, seed: int = 7, dimensions: int = DIMENSIONS) -> Units:
    """Unit vectors as halfvec keeps them."""
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions))
    kept: Units = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)
    return kept


def fill(relationship: Relationship, count: int, *, seed: int = 7) -> list[UUID]:
    """So many active entries, each an hour older than the one before, of importance .1 to 1 in turn.

    The n-th has the n-th vector of `units(count)`.
    """
    ids = [uuid7() for _ in range(count)]
    told: dict[str, Any] = {
        "ids": ids,
        "relationship": relationship.id,
        "project": relationship.project_id,
        "noon": NOON,
    }
    told["mark"] = "" if seed == 7 else f"of{seed}"
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, told)
        cursor.execute(_TEXTS, told)
    add_vectors(relationship, ids, units(count, seed=seed))
    Relationship.objects.filter(id=relationship.id).update(last_seq=count)
    return ids


def add_vectors(
    relationship: Relationship, ids: Sequence[UUID], vectors: Units, *, model: str = MODEL
) -> None:
    told: dict[str, Any] = {
        "relationship": relationship.id,
        "project": relationship.project_id,
        "ids": list(ids),
        "model": model,
        "dimensions": vectors.shape[1],
        "vectors": [Vector(vector).to_text() for vector in vectors],
        "noon": NOON,
    }
    with connection.cursor() as cursor:
        cursor.execute(_VECTORS, told)
