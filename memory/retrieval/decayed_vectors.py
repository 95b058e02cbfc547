"""Decayed vectors, which the ranker `decay` keeps for relationships with many entries, so that one inner product ranks.

They select the candidates; the ranker scores those from their own rows. Relationships with at least
LARGE_RELATIONSHIP_ROWS entries with vectors have them. An entry whose decayed vector is stale or missing is always a
candidate.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import connections, transaction
from pgvector import Vector

from config.postgresql.sessions import execute, reading_from
from memory.models import DecayedVector, SearchedKind
from memory.retrieval.columns import SearchQuery, entry_filters
from memory.retrieval.decay import MOST_HALF_LIVES, decayed_vectors, half_lives, log_weights
from memory.retrieval.index.configs import RelationshipConfig, configs_of, lock_config
from memory.retrieval.results import EntryFilters
from memory.retrieval.statements import ALLOWED, ENTRY_ROWS
from relationships.services.sequence import lock_relationship
from worker.failures import each_alone

FETCH = 400  # candidates per question: float4 and the ranker's float8 differ only far below the best
PAGE = 20_000  # relationships passed in one round
AT_ONCE = 500  # vectors in one transaction, for which writers of the relationship wait
SPACES_AT_ONCE = 20
_START = UUID(int=0)

_CANDIDATES = f"""
WITH space AS MATERIALIZED (
    SELECT half_life_days FROM memory_decayedvector
     WHERE relationship_id = %(relationship)s AND model = %(model)s AND dimensions = %(dimensions)s LIMIT 1
)
SELECT (SELECT half_life_days FROM space),
       ARRAY(SELECT d.owner_id FROM memory_decayedvector d, {ENTRY_ROWS}
                AND {ALLOWED} AND d.relationship_id = %(relationship)s AND NOT d.stale
                AND d.model = %(model)s AND d.dimensions = %(dimensions)s AND d.owner_id = s.owner_id
              ORDER BY d.vector <#> %(question)s::vector LIMIT %(fetch)s),
       ARRAY(SELECT owner_id FROM memory_decayedvector
              WHERE relationship_id = %(relationship)s AND stale AND model = %(model)s
                AND dimensions = %(dimensions)s)
"""  # noqa: S608 - constants of ours
# Every entry took a number of its relationship's `last_seq`, so below the limit there can't be enough entries.
_PAGE = """
WITH page AS (
    SELECT id, last_seq FROM relationships_relationship WHERE id > %(after)s ORDER BY id LIMIT %(page)s
)
SELECT ARRAY(SELECT id FROM page WHERE last_seq >= %(many)s),
       CASE WHEN (SELECT count(*) FROM page) = %(page)s THEN (SELECT id FROM page ORDER BY id DESC LIMIT 1) END
"""
# Relationships whose rows are not as the configuration says.
_UNSETTLED = """
SELECT r.id FROM relationships_relationship r
  JOIN unnest(%(ids)s::uuid[], %(half_lives)s::float8[]) AS w (id, half_life) ON w.id = r.id
 WHERE EXISTS (SELECT 1 FROM memory_decayedvector d
                WHERE d.relationship_id = r.id AND d.half_life_days IS DISTINCT FROM w.half_life)
    OR w.half_life IS NOT NULL AND EXISTS (
       SELECT 1 FROM memory_embedding e
         LEFT JOIN memory_decayedvector d ON d.relationship_id = e.relationship_id AND d.owner_id = e.owner_id
          AND d.model = e.model AND d.dimensions = e.dimensions
        WHERE e.relationship_id = r.id AND e.kind = 'entry' GROUP BY e.model, e.dimensions
       HAVING count(*) >= %(many)s AND count(*) > count(d.id))
"""
_BEGIN = """
INSERT INTO memory_decayedvector
       (relationship_id, id, project_id, owner_id, model, dimensions, half_life_days, reference, stale)
SELECT e.relationship_id, e.id, e.project_id, e.owner_id, e.model, e.dimensions, %(half_life)s,
       (SELECT max(effective_at) FROM memory_scratchpadentry WHERE relationship_id = %(relationship)s), true
  FROM memory_embedding e
 WHERE e.relationship_id = %(relationship)s AND e.kind = 'entry' AND (e.model, e.dimensions) IN (
       SELECT model, dimensions FROM memory_embedding
        WHERE relationship_id = %(relationship)s AND kind = 'entry' GROUP BY 1, 2 HAVING count(*) >= %(many)s)
"""
_STALE = """
SELECT d.owner_id, s.importance, s.effective_at, d.half_life_days, d.reference, e.vector::vector::text
  FROM memory_decayedvector d
  JOIN memory_scratchpadentry s ON s.relationship_id = d.relationship_id AND s.id = d.owner_id
  JOIN memory_embedding e ON e.relationship_id = d.relationship_id AND e.kind = 'entry' AND e.model = d.model
   AND e.dimensions = d.dimensions AND e.owner_id = d.owner_id
 WHERE d.relationship_id = %(relationship)s AND d.stale AND d.model = %(model)s AND d.dimensions = %(dimensions)s
 ORDER BY d.owner_id LIMIT %(limit)s
"""
_WRITE = """
UPDATE memory_decayedvector d
   SET stale = false, vector = g.vector::vector, importance = g.importance, effective_at = g.effective_at
  FROM unnest(%(owners)s::uuid[], %(vectors)s::text[], %(importances)s::float8[], %(effective)s::timestamptz[])
       AS g (owner_id, vector, importance, effective_at)
 WHERE d.relationship_id = %(relationship)s AND d.model = %(model)s AND d.dimensions = %(dimensions)s
   AND d.owner_id = g.owner_id
"""


class _Space(NamedTuple):
    relationship: UUID
    model: str
    dimensions: int


def decay_candidates(query: SearchQuery, *, half_life_days: float) -> set[UUID] | None:
    """The entries to rank by `decay`: FETCH for each question, and stale ones. None: rank all entries."""
    if not isinstance(query.filters, EntryFilters) or query.vectors is None:
        return None
    found: set[UUID] = set()
    with connections[reading_from()].cursor() as cursor:
        for vector in query.vectors.vectors:
            params = {
                **_Space(query.relationship_id, *query.vectors.space)._asdict(),
                **entry_filters(query.filters),
                "kind": SearchedKind.ENTRY.value,
                "now": query.now,
                "question": Vector(vector).to_text(),
                "fetch": FETCH,
            }
            cursor.execute(_CANDIDATES, params)
            half_life, heaviest, stale = cursor.fetchone()
            if half_life != half_life_days:
                return None
            found |= {*heaviest, *stale}
    return found


class DecayWalk:
    """Goes through all relationships, one page per step, and starts again at the end."""

    def __init__(self) -> None:
        self._after = _START

    def step(self, now: datetime) -> int:
        """Create, recreate or delete decayed vectors as the configuration says; return for how many relationships."""
        many = settings.LARGE_RELATIONSHIP_ROWS
        [(ids, last)] = execute(_PAGE, {"after": self._after, "page": PAGE, "many": many})
        self._after = last or _START
        if not ids:
            return 0
        configs = configs_of(ids)
        params = {
            "ids": [config.relationship_id for config in configs],
            "half_lives": [_half_life(config) for config in configs],
            "many": many,
        }
        return each_alone((row[0] for row in execute(_UNSETTLED, params)), settle_decayed_vectors)


@transaction.atomic
def settle_decayed_vectors(relationship_id: UUID) -> int:
    """Create or delete decayed vectors, as the configuration says; new ones are stale at first. 1: it is done."""
    config = lock_config(relationship_id)
    DecayedVector.objects.for_relationship(relationship_id).delete()
    half_life = _half_life(config) if config is not None else None
    if half_life is not None:
        many = settings.LARGE_RELATIONSHIP_ROWS
        execute(_BEGIN, {"relationship": relationship_id, "half_life": half_life, "many": many})
    return 1


def renew_stale(now: datetime) -> int:
    """Renew stale decayed vectors; return how many."""
    stale = DecayedVector.objects.filter(stale=True)
    spaces = stale.order_by().values_list("relationship_id", "model", "dimensions").distinct()
    stale_spaces = (_Space(*space) for space in spaces[:SPACES_AT_ONCE])
    return each_alone(stale_spaces, _renew, of=lambda space: space.relationship)


def _renew(space: _Space) -> int:
    done = 0
    while some := _renew_batch(space):
        done += some
    return done


@transaction.atomic
def _renew_batch(space: _Space) -> int:
    """Renew a batch; return how many. 0 also if the reference was moved: then all are stale, for the next round."""
    lock_relationship(space.relationship)
    rows = execute(_STALE, {**space._asdict(), "limit": AT_ONCE})
    if not rows:
        return 0
    owners, importances, effective, scales, references, vectors = zip(*rows, strict=True)
    told = np.array([moment.timestamp() for moment in effective])
    scale = {"reference": references[0].timestamp(), "half_life_days": scales[0]}
    if half_lives(told, **scale).max() > MOST_HALF_LIVES:
        settle_decayed_vectors(space.relationship)
        return 0
    weights = log_weights(np.array(importances, dtype=np.float64), told, **scale)
    units = np.stack([Vector.from_text(vector).to_numpy() for vector in vectors])
    params = {
        **space._asdict(),
        "owners": list(owners),
        "importances": list(importances),
        "effective": list(effective),
        "vectors": [Vector(row).to_text() for row in decayed_vectors(units, weights)],
    }
    execute(_WRITE, params)
    return len(rows)


def _half_life(config: RelationshipConfig) -> float | None:
    """The half-life; None if the relationship has no decayed vectors."""
    retrieval = config.retrieval
    return retrieval.half_life_days if retrieval is not None and retrieval.ranker == "decay" else None
