"""The interface of rankers: columns of numbers go in, scores come out. Pure arithmetic, no database."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from memory.dates import Period
from memory.retrieval.configuration import Retrieval
from memory.retrieval.relative_dates import Days

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often words of the question occur in rows: three columns, without zeros.

    `row` is an index in the candidates, `term` in the question's words.
    """

    row: Ints
    term: Ints
    count: Floats


@dataclass(frozen=True, slots=True)
class Candidates:
    """Columns of equal length, with a row for each entry or message of the relationship, in the order they were told.

    Of rows told at the same time the one with the lower ID comes later, so "the later row" breaks every tie.
    `counted` rows are used for statistics (idf, means): active ones, whatever the filters. `allowed` rows pass the
    filters and may be found. So a filter never changes the order of what passes it.
    """

    told: Floats  # seconds since 1970
    touched: Floats  # the last access, or else when it was told
    length: Floats  # words, as BM25 counts them
    session: Ints  # a number for each session; -1: none, as for entries
    named: Bools  # its speaker or subject is named in the question
    cosine: Floats  # to the question; NaN: no vector in the question's space
    importance: Floats  # 0..1; messages: 1
    weight: Floats  # 0 and more; messages: 1
    counted: Bools
    allowed: Bools
    counts: Counts

    def __len__(self) -> int:
        return len(self.told)

    @property
    def has_vectors(self) -> bool:
        return not bool(np.isnan(self.cosine).all())


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `terms`: the number of its words; `periods`: the times it names."""

    terms: int
    retrieval: Retrieval
    periods: tuple[Period | Days, ...] = ()


def order_of(*scores: Floats) -> Ints:
    """The indexes of the rows, best first; of equal ones the later row first. Further scores decide if the ones before
    are equal."""
    places = np.arange(len(scores[0]))
    order: Ints = np.lexsort((-places, *(-score for score in reversed(scores))))
    return order


@dataclass(frozen=True, slots=True)
class Scores:
    """A score for each candidate, and its parts, by name. `kept`: the candidates that the ranker accepts.

    `order`: what to order by instead, the first before the second, if a score may be too small for a float.
    """

    total: Floats
    parts: Mapping[str, Floats]
    kept: Bools
    order: Sequence[Floats] = ()  # empty: by the total

    def best_first(self, rows: Ints, *, most: int | None = None) -> Ints:
        """These candidates, best first; of equal ones the later first. `most`: only so many of them."""
        if most is not None and len(rows) > 2 * most and not self.order:
            total = self.total[rows]
            rows = rows[total >= np.partition(total, -most)[-most]]
        ordered: Ints = rows[order_of(*(scores[rows] for scores in self.order or (self.total,)))]
        return ordered if most is None else ordered[:most]


class Ranker(ABC):
    """One way to order candidates. `needs_vectors`: it makes no sense without an embedder.

    `sums_text`: it sums text search and vectors. Then lexical vectors are left out, as they would count words twice
    (measured: 3.8 points of recall less).
    """

    slug: ClassVar[str]
    needs_vectors: ClassVar[bool] = False
    sums_text: ClassVar[bool] = False

    @abstractmethod
    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        """Score every candidate. What is not `kept` is not found."""
