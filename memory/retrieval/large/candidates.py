"""Which rows of a large relationship are worth ranking: the nearest, and those that hold the question's rarest words.

The index proposes and the ranker disposes: every candidate is scored from its own row, with figures of the whole
relationship. More are fetched than are wanted, since the indexes' own order is approximate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import sql

from memory.models import IndexPurpose, SearchedKind
from memory.retrieval.columns import Sought, filter_values
from memory.retrieval.configuration import Retrieval
from memory.retrieval.found import EntryFilters, MessageFilters
from memory.retrieval.large import nearest, words
from memory.retrieval.large.known import ReadyIndex, ready_index
from memory.retrieval.large.statements import IndexKey
from memory.retrieval.rankers.base import Statistics
from memory.retrieval.statements import ALLOWED, ROWS

MOST_NEAREST = 2000  # a ranker that wants more of the nearest than these reads every row
_USUAL = (EntryFilters(), MessageFilters())


@dataclass(frozen=True, slots=True)
class LargeCandidates:
    """Whom to rank, and by what figures of the whole relationship: one Statistics for each question.

    Their `documents` count in the order of the lexemes of all questions together.
    """

    owner_ids: frozenset[UUID]
    statistics: tuple[Statistics, ...]


@dataclass(frozen=True, slots=True)
class _Indexes:
    """Those that can be used for a search; None: it has no vectors, or is not by decay."""

    text: ReadyIndex
    near: ReadyIndex | None
    fold: ReadyIndex | None


def large_candidates(sought: Sought, *, ranker: str, retrieval: Retrieval) -> LargeCandidates | None:
    """None: every row is to be ranked, as the relationship is not large or its indexes are not ready yet.

    Costs no statement where there is no index.
    """
    indexes = _indexes(sought, ranker, retrieval)
    if indexes is None:
        return None
    with transaction.atomic(), connection.cursor() as cursor:
        documents = words.count_documents(cursor, indexes.text.key, sought.words, sought.language)
        found = _few_allowed(cursor, sought) if sought.filters not in _USUAL else None
        if found is None:
            found = _by_index(cursor, sought, indexes, documents, _nearest_wanted(ranker, retrieval))
        means = _mean_cosines(cursor, sought, indexes)
    figures = np.array(list(documents.values()), dtype=np.float64)
    rows, mean_length = indexes.text.rows, indexes.text.mean_length
    statistics = tuple(Statistics(rows, figures, mean_length, mean) for mean in means)
    return LargeCandidates(frozenset(found), statistics)


def _indexes(sought: Sought, ranker: str, retrieval: Retrieval) -> _Indexes | None:
    """None: one that is needed is not there."""
    text = ready_index(IndexKey(sought.relationship_id, sought.kind, IndexPurpose.TEXT))
    if text is None or _nearest_wanted(ranker, retrieval) > MOST_NEAREST:
        return None
    if sought.vectors is None:
        return _Indexes(text, None, None)
    near = ready_index(
        IndexKey(sought.relationship_id, sought.kind, IndexPurpose.NEAREST, *sought.vectors.space)
    )
    if near is None:
        return None
    if ranker != "decay" or sought.kind == SearchedKind.MESSAGE:
        return _Indexes(text, near, None)
    fold = ready_index(
        IndexKey(sought.relationship_id, sought.kind, IndexPurpose.DECAY, *sought.vectors.space)
    )
    if fold is None or fold.half_life_days != retrieval.half_life_days:
        return None
    return _Indexes(text, near, fold)


def _nearest_wanted(ranker: str, retrieval: Retrieval) -> int:
    return retrieval.candidates if ranker == "importance" else 0


def _by_index(
    cursor: CursorWrapper, sought: Sought, indexes: _Indexes, documents: Mapping[str, int], count: int
) -> set[UUID]:
    vectors = sought.vectors.vectors if sought.vectors is not None else ()
    source = _source(sought)
    if indexes.fold is not None:
        found = nearest.stale(cursor, indexes.fold.key, source)
        for vector in vectors:
            found |= nearest.heaviest(cursor, indexes.fold.key, source, vector)
        return found
    found = words.holding_rarest(cursor, indexes.text, source, documents)
    if indexes.near is not None:
        for vector in vectors:
            found |= nearest.nearest(cursor, indexes.near.key, source, vector, count=count)
    if sought.kind == SearchedKind.MESSAGE:
        return words.with_neighbours(cursor, indexes.text.key, found)
    return found


def _few_allowed(cursor: CursorWrapper, sought: Sought) -> set[UUID] | None:
    """All that the filters let through, if those are few enough to be ranked one by one; else None.

    An index that meets one such row in a hundred would be scanned for long and still miss some.
    """
    limit = settings.LARGE_RELATIONSHIP_ROWS
    source = _source(sought)
    statement = sql.SQL("SELECT s.owner_id FROM {} LIMIT {}").format(source.rows, sql.Literal(limit + 1))
    cursor.execute(statement, dict(source.values))
    owners = {row[0] for row in cursor.fetchall()}
    return owners if len(owners) <= limit else None


def _mean_cosines(cursor: CursorWrapper, sought: Sought, indexes: _Indexes) -> tuple[float, ...]:
    if indexes.near is None or sought.vectors is None:
        return (0.0,) * len(sought.words)
    return nearest.mean_cosines(cursor, indexes.near.key, sought.vectors.vectors)


def _source(sought: Sought) -> nearest.From:
    values: dict[str, Any] = {
        "relationship": sought.relationship_id,
        "kind": str(sought.kind),
        "now": sought.now,
        **filter_values(sought.filters),
    }
    return nearest.From(sql.SQL(f"{ROWS[sought.kind]} AND ({ALLOWED[sought.kind]})"), values)
