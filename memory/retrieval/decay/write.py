"""Writes folds from the rows they are made of, a batch a transaction, under the relationship's lock."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection, transaction
from pgvector import Vector

from memory.models import DecayFold, IndexState, LargeIndex, ScratchpadEntry
from memory.retrieval.decay.weights import fold, log_weights, must_move
from relationships.services.sequence import lock_relationship

# Folds in one transaction: who writes to the relationship waits for no more. A fold that goes into an index takes
# some twenty times as long.
AT_ONCE, AT_ONCE_INDEXED = 1000, 50

# Every vector has a fold, if only a stale one; what came without being noticed is found here.
_OWE = """
INSERT INTO memory_decayfold (relationship_id, id, project_id, owner_id, model, dimensions, stale)
SELECT relationship_id, id, project_id, owner_id, model, dimensions, true FROM memory_embedding
 WHERE relationship_id = %(relationship)s AND kind = 'entry' AND model = %(model)s AND dimensions = %(dimensions)s
ON CONFLICT (relationship_id, model, dimensions, owner_id) DO NOTHING
"""
_STALE = """
SELECT f.owner_id, s.importance, s.effective_at, e.vector::vector::text
  FROM memory_decayfold f
  JOIN memory_scratchpadentry s ON s.relationship_id = f.relationship_id AND s.id = f.owner_id
  JOIN memory_embedding e ON e.relationship_id = f.relationship_id AND e.kind = 'entry' AND e.model = f.model
   AND e.dimensions = f.dimensions AND e.owner_id = f.owner_id
 WHERE f.relationship_id = %(relationship)s AND f.stale AND f.model = %(model)s AND f.dimensions = %(dimensions)s
 ORDER BY f.owner_id LIMIT %(limit)s
"""
_WRITE = """
UPDATE memory_decayfold f
   SET stale = false, vector = g.vector::vector, importance = g.importance, effective_at = g.effective_at,
       half_life_days = %(half_life)s, reference = %(reference)s
  FROM unnest(%(owner)s::uuid[], %(vector)s::text[], %(importance)s::float8[], %(effective_at)s::timestamptz[])
       AS g (owner_id, vector, importance, effective_at)
 WHERE f.relationship_id = %(relationship)s AND f.model = %(model)s AND f.dimensions = %(dimensions)s
   AND f.owner_id = g.owner_id
"""


def fold_relationship(index: LargeIndex) -> datetime:
    """Fold every entry anew, from the reference returned: when the newest of them was told."""
    reference = _start_over(index)
    while _fold_batch(index, reference, AT_ONCE):
        pass
    return reference


def refold_stale(index: LargeIndex) -> int | None:
    """Fold what became stale. How many; None when the reference has to move first, which wants the index anew."""
    assert index.reference is not None
    done = 0
    while folded := _fold_batch(index, index.reference, AT_ONCE_INDEXED):
        done += folded
    return None if folded is None else done


@transaction.atomic
def _start_over(index: LargeIndex) -> datetime:
    """Under the lock: from here on every fold is stale, and the reference another."""
    lock_relationship(index.relationship_id)
    row = LargeIndex.objects.for_relationship(index.relationship_id).filter(id=index.id)
    entries = ScratchpadEntry.objects.for_relationship(index.relationship_id)
    reference: datetime = entries.order_by("-effective_at").values_list("effective_at", flat=True)[0]
    row.update(state=IndexState.WANTED, reference=reference)
    with connection.cursor() as cursor:
        cursor.execute(_OWE, _space(index))
    folds = DecayFold.objects.for_relationship(index.relationship_id)
    folds.filter(model=index.model, dimensions=index.dimensions, stale=False).update(stale=True)
    return reference


@transaction.atomic
def _fold_batch(index: LargeIndex, reference: datetime, limit: int) -> int | None:
    """Fold some of what is stale; None when the reference has to move before they can be."""
    lock_relationship(index.relationship_id)
    with connection.cursor() as cursor:
        cursor.execute(_STALE, {**_space(index), "limit": limit})
        rows = cursor.fetchall()
        if not rows:
            return 0
        told = np.array([row[2].timestamp() for row in rows])
        assert index.half_life_days is not None
        scale = {"reference": reference.timestamp(), "half_life_days": index.half_life_days}
        if must_move(told.tolist(), **scale):
            return None
        weights = log_weights(np.array([row[1] for row in rows], dtype=np.float64), told, **scale)
        units = np.stack([Vector.from_text(row[3]).to_numpy() for row in rows])
        _store(cursor, index, reference, rows, fold(units, weights))
    return len(rows)


def _store(cursor: Any, index: LargeIndex, reference: datetime, rows: Sequence[Any], folds: Any) -> None:
    told = {
        **_space(index),
        "half_life": index.half_life_days,
        "reference": reference,
        "owner": [row[0] for row in rows],
        "importance": [row[1] for row in rows],
        "effective_at": [row[2] for row in rows],
        "vector": [Vector(values).to_text() for values in folds],
    }
    cursor.execute(_WRITE, told)


def _space(index: LargeIndex) -> dict[str, UUID | str | int]:
    return {"relationship": index.relationship_id, "model": index.model, "dimensions": index.dimensions}
