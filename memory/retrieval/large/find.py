"""Finds the large relationships, and says which indexes each is to have.

Every entry and every message took a number of its relationship's `last_seq`, so a relationship below that number is
not large: a walk over relationships in order of ID looks closer only at the others. Nobody waits for it, as search
is exact until an index is there.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from memory.models import IndexPurpose, IndexState, LargeIndex, SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.large.statements import MOST_DIMENSIONS, IndexKey, key_of
from relationships.errors import InvalidConfiguration
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.sequence import lock_relationship

PAGE = 20_000  # relationships passed in one step
CLOSER = 100  # of them looked at closer, at most
_SHRUNK = 0.5  # an index goes when fewer than this share of the limit is left

_PAGE = """
WITH page AS (
    SELECT id, last_seq FROM relationships_relationship WHERE id > %(after)s ORDER BY id LIMIT %(page)s
)
SELECT id, last_seq >= %(limit)s FROM page
 WHERE last_seq >= %(limit)s OR id = (SELECT id FROM page ORDER BY id DESC LIMIT 1) ORDER BY id
"""
_COUNTS = """
SELECT kind, 'text', '', 0, count(*) FROM memory_searchtext
 WHERE relationship_id = %(id)s AND state = 'active' GROUP BY kind
UNION ALL
SELECT kind, 'nearest', model, dimensions, count(*) FROM memory_embedding
 WHERE relationship_id = %(id)s GROUP BY kind, model, dimensions
"""
_START = UUID(int=0)

Counts = dict[IndexKey, int]


class Walk:
    """Goes through all relationships, a page a step, and begins again at the end."""

    def __init__(self) -> None:
        self._after = _START

    def step(self, now: datetime) -> int:
        """How many indexes became wanted or unwanted."""
        found, last = self._page()
        self._after = last
        return sum(note_large(relationship_id, now=now) for relationship_id in found)

    def _page(self) -> tuple[list[UUID], UUID]:
        """Whom to look at closer, and where to go on."""
        with connection.cursor() as cursor:
            told: dict[str, Any] = {
                "after": self._after,
                "page": PAGE,
                "limit": settings.LARGE_RELATIONSHIP_ROWS,
            }
            cursor.execute(_PAGE, told)
            rows = cursor.fetchall()
        large = [row[0] for row in rows if row[1]][:CLOSER]
        if len(large) == CLOSER:
            return large, large[-1]
        return large, rows[-1][0] if rows else _START


@transaction.atomic
def note_large(relationship_id: UUID, *, now: datetime) -> int:
    """Bring a relationship's LargeIndex rows to what it is now. How many came, went or are wanted anew."""
    if not lock_relationship(relationship_id):
        return 0
    counts = _counts(relationship_id)
    there = {key_of(row): row for row in LargeIndex.objects.for_relationship(relationship_id)}
    half_lives = _half_lives(relationship_id, counts)
    changed = 0
    for key in _wanted(counts, half_lives, there):
        row = there.pop(key, None)
        if row is None:
            _want(relationship_id, key, counts[_rows_of(key)], half_lives.get(key), now)
            changed += 1
        elif row.half_life_days != half_lives.get(key) or _is_other(row.rows, counts[_rows_of(key)]):
            changed += _renew(row, counts[_rows_of(key)], half_lives.get(key), now)
    for row in there.values():
        LargeIndex.objects.for_relationship(relationship_id).filter(id=row.id).delete()
        changed += 1
    return changed


def _counts(relationship_id: UUID) -> Counts:
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"id": relationship_id})
        return {
            IndexKey(relationship_id, kind, purpose, model, dimensions): count
            for kind, purpose, model, dimensions, count in cursor.fetchall()
        }


def _wanted(
    counts: Counts, half_lives: dict[IndexKey, float], there: dict[IndexKey, LargeIndex]
) -> Iterator[IndexKey]:
    limit = settings.LARGE_RELATIONSHIP_ROWS
    for key in [*counts, *half_lives]:
        count = counts[_rows_of(key)]
        within = key.dimensions <= MOST_DIMENSIONS.get(IndexPurpose(key.purpose), 0) and "%" not in key.model
        if within and (count >= limit or (key in there and count >= limit * _SHRUNK)):
            yield key


def _half_lives(relationship_id: UUID, counts: Counts) -> dict[IndexKey, float]:
    """The folds this relationship may have, with the half-life of each: none unless it ranks by `decay`."""
    spaces = [key for key in counts if key.purpose == IndexPurpose.NEAREST and key.kind == SearchedKind.ENTRY]
    if not spaces:
        return {}
    retrieval = _retrieval(relationship_id)
    if retrieval is None or retrieval.ranker != "decay":
        return {}
    return {
        IndexKey(
            key.relationship_id, key.kind, IndexPurpose.DECAY, key.model, key.dimensions
        ): retrieval.half_life_days
        for key in spaces
    }


def _retrieval(relationship_id: UUID) -> Retrieval | None:
    relationship = Relationship.objects.select_related("project", "companion").get(id=relationship_id)
    try:
        found: Retrieval = configuration_of(relationship).values.retrieval
    except InvalidConfiguration:
        return None
    return found


def _rows_of(key: IndexKey) -> IndexKey:
    """Whose count decides: a fold has as many rows as its space has vectors."""
    if key.purpose != IndexPurpose.DECAY:
        return key
    return IndexKey(key.relationship_id, key.kind, IndexPurpose.NEAREST, key.model, key.dimensions)


def _is_other(before: int, now: int) -> bool:
    """So many more or fewer rows that the means are to be taken anew."""
    return abs(now - before) > 0.1 * max(before, 1)


def _want(relationship_id: UUID, key: IndexKey, rows: int, half_life: float | None, now: datetime) -> None:
    relationship = Relationship.objects.only("project_id").get(id=relationship_id)
    LargeIndex.objects.create(
        relationship_id=relationship_id,
        project_id=relationship.project_id,
        kind=key.kind,
        purpose=key.purpose,
        model=key.model,
        dimensions=key.dimensions,
        rows=rows,
        half_life_days=half_life,
        due_at=now,
    )


def _renew(row: LargeIndex, rows: int, half_life: float | None, now: datetime) -> int:
    """Count anew; a fold of another half-life can't be used until it is made anew."""
    values: dict[str, object] = {"due_at": now, "rows": rows}
    if row.half_life_days != half_life:
        values |= {"half_life_days": half_life, "state": IndexState.WANTED, "attempts": 0}
    LargeIndex.objects.for_relationship(row.relationship_id).filter(id=row.id).update(**values)
    return 1
