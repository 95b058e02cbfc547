"""Asks a large relationship's vector indexes, inside a transaction: the scan's settings end with it."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db.backends.utils import CursorWrapper
from numpy.typing import NDArray
from pgvector import Vector
from psycopg import sql

from memory.retrieval.large.statements import IndexKey, covered

# Measured at 100,000 rows: recall@10 is .99 and above from these on.
EF_SEARCH = 200
FETCH = 400
# How many rows a scan may pass over, looking for so many that the filters let through.
MOST_SCANNED = 40_000

_SETTINGS = f"""
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '{EF_SEARCH}', true),
       set_config('hnsw.max_scan_tuples', '{MOST_SCANNED}', true)
"""
_NEAREST = """
SELECT s.owner_id FROM memory_embedding e, {rows} AND {covered} AND e.owner_id = s.owner_id
 ORDER BY e.vector::halfvec({dimensions}) <=> {question}::halfvec({dimensions}) LIMIT {fetch}
"""
_HEAVIEST = """
SELECT s.owner_id FROM memory_decayfold e, {rows} AND {covered} AND e.owner_id = s.owner_id
 ORDER BY e.vector::vector({dimensions}) <#> {question}::vector({dimensions}) LIMIT {fetch}
"""
_STALE = """
SELECT s.owner_id FROM memory_decayfold e, {rows} AND e.relationship_id = {relationship} AND e.stale
   AND e.model = {model} AND e.dimensions = {dimensions} AND e.owner_id = s.owner_id
"""
_MEAN = """
SELECT mean::text FROM memory_largeindex
 WHERE relationship_id = %s AND kind = %s AND purpose = 'nearest' AND model = %s AND dimensions = %s
"""

Question = NDArray[np.float32]


class From(NamedTuple):
    """What may be found, as FROM and WHERE with the search text as `s`, and the values it names."""

    rows: sql.Composable
    values: Mapping[str, Any]


def nearest(
    cursor: CursorWrapper, key: IndexKey, source: From, question: Question, *, count: int = 0
) -> set[UUID]:
    """The nearest by cosine: FETCH of them, or `count` if that is more."""
    return _scan(cursor, _NEAREST, key, source, question, max(FETCH, count))


def heaviest(cursor: CursorWrapper, key: IndexKey, source: From, question: Question) -> set[UUID]:
    """Those whose fold has the largest inner product with the question."""
    return _scan(cursor, _HEAVIEST, key, source, question, FETCH)


def stale(cursor: CursorWrapper, key: IndexKey, source: From) -> set[UUID]:
    """What changed since it was folded, or was not folded yet."""
    statement = sql.SQL(_STALE).format(
        rows=source.rows,
        relationship=sql.Literal(key.relationship_id),
        model=sql.Literal(key.model),
        dimensions=sql.Literal(key.dimensions),
    )
    cursor.execute(statement, dict(source.values))
    return {row[0] for row in cursor.fetchall()}


def mean_cosines(cursor: CursorWrapper, key: IndexKey, questions: NDArray[np.float32]) -> tuple[float, ...]:
    """Of each question with all vectors: its inner product with their mean."""
    cursor.execute(_MEAN, [key.relationship_id, str(key.kind), key.model, key.dimensions])
    row = cursor.fetchone()
    if row is None or row[0] is None:
        return (0.0,) * len(questions)
    mean = Vector.from_text(row[0]).to_numpy()
    return tuple(float(value) for value in questions @ mean)


def nearest_statement(key: IndexKey, source: From, question: Question, fetch: int) -> sql.Composed:
    """For who wants to see its plan."""
    return _statement(_NEAREST, key, source, question, fetch)


def _scan(
    cursor: CursorWrapper, statement: str, key: IndexKey, source: From, question: Question, fetch: int
) -> set[UUID]:
    cursor.execute(_SETTINGS)
    cursor.execute(_statement(statement, key, source, question, fetch), dict(source.values))
    return {row[0] for row in cursor.fetchall()}


def _statement(statement: str, key: IndexKey, source: From, question: Question, fetch: int) -> sql.Composed:
    return sql.SQL(statement).format(
        rows=source.rows,
        covered=covered(key, "e"),
        dimensions=sql.Literal(key.dimensions),
        question=sql.Literal(Vector(question).to_text()),
        fetch=sql.Literal(fetch),
    )
