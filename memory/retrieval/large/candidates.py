"""Which rows of a large relationship are worth ranking: the nearest, and those that hold the question's rarest words.

The index proposes and the ranker disposes: every candidate is scored from its own row, with figures of the whole
relationship. More are fetched than are wanted, since the indexes' own order is approximate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from numpy.typing import NDArray
from psycopg import sql

from memory.embedders.base import Space
from memory.models import IndexPurpose, SearchedKind
from memory.retrieval.large import nearest, words
from memory.retrieval.large.known import ReadyIndex, ready_index
from memory.retrieval.large.statements import IndexKey

MOST_NEAREST = 2000  # a ranker that wants more of the nearest than these reads every row


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be found, in the search's own SQL: `rows` is FROM and WHERE of its tables, `s` the search text among
    them; `allowed` the filters; `values` what both name. `narrowed`: filters beyond the usual."""

    relationship_id: UUID
    kind: SearchedKind
    rows: str
    allowed: str
    values: Mapping[str, Any]
    narrowed: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A search's questions: their words as the index has them, in the order of the ranking's terms; a unit vector
    each, if there are vectors. `half_life_days`: for the ranker `decay`. `nearest`: how many of them it wants."""

    lexemes: Sequence[str]
    vectors: NDArray[np.float32] | None = None
    space: Space | None = None
    half_life_days: float | None = None
    nearest: int = 0


@dataclass(frozen=True, slots=True)
class LargeCandidates:
    """Whom to rank, and of the whole relationship: how many are active, in how many each lexeme stands, the mean
    length of a text, and the mean cosine with each question (None: no vectors)."""

    owner_ids: frozenset[UUID]
    rows: int
    documents: tuple[int, ...]
    mean_length: float
    mean_cosines: tuple[float, ...] | None


def large_candidates(scope: Scope, asked: Asked) -> LargeCandidates | None:
    """None: every row is to be ranked, as the relationship is not large or its indexes are not ready yet.

    Costs no statement where there is no index.
    """
    text = ready_index(IndexKey(scope.relationship_id, scope.kind, IndexPurpose.TEXT))
    if text is None or asked.nearest > MOST_NEAREST:
        return None
    near = _vector_index(scope, asked, IndexPurpose.NEAREST)
    fold = _vector_index(scope, asked, IndexPurpose.DECAY) if asked.half_life_days else None
    if asked.vectors is not None and near is None:
        return None
    if asked.half_life_days and (fold is None or fold.half_life_days != asked.half_life_days):
        return None
    with transaction.atomic(), connection.cursor() as cursor:
        documents = words.count_documents(cursor, text.key, asked.lexemes)
        found = _few_allowed(cursor, scope) if scope.narrowed else None
        if found is None:
            found = _by_index(cursor, scope, asked, text, near, fold, documents)
        cosines = nearest.mean_cosines(cursor, near.key, asked.vectors) if near else None
    return LargeCandidates(frozenset(found), text.rows, tuple(documents), text.mean_length, cosines)


def _vector_index(scope: Scope, asked: Asked, purpose: IndexPurpose) -> ReadyIndex | None:
    if asked.space is None or asked.vectors is None:
        return None
    return ready_index(IndexKey(scope.relationship_id, scope.kind, purpose, *asked.space))


def _by_index(
    cursor: Any,
    scope: Scope,
    asked: Asked,
    text: ReadyIndex,
    near: ReadyIndex | None,
    fold: ReadyIndex | None,
    documents: Sequence[int],
) -> set[UUID]:
    vectors = asked.vectors if asked.vectors is not None else ()
    if fold is not None:
        found = {
            owner for vector in vectors for owner in nearest.heaviest(cursor, fold.key, _from(scope), vector)
        }
        return found | nearest.stale(cursor, fold.key, _from(scope))
    found = words.holding_rarest(cursor, text, _from(scope), asked.lexemes, documents)
    if near is not None:
        for vector in vectors:
            found.update(nearest.nearest(cursor, near.key, _from(scope), vector, count=asked.nearest))
    return words.with_neighbours(cursor, text.key, found) if scope.kind == SearchedKind.MESSAGE else found


def _few_allowed(cursor: Any, scope: Scope) -> set[UUID] | None:
    """All that the filters let through, if those are few enough to be ranked one by one; else None.

    An index that meets one such row in a hundred would be scanned for long and still miss some.
    """
    limit = settings.LARGE_RELATIONSHIP_ROWS
    statement, values = _from(scope)
    cursor.execute(
        sql.SQL("SELECT s.owner_id FROM {} LIMIT {}").format(statement, sql.Literal(limit + 1)), values
    )
    owners = {row[0] for row in cursor.fetchall()}
    return owners if len(owners) <= limit else None


def _from(scope: Scope) -> nearest.From:
    return nearest.From(sql.SQL(f"{scope.rows} AND ({scope.allowed})"), scope.values)
