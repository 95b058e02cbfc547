"""Variants of the ranker `best`: built up part by part, each part taken away, and weights chosen on other talks.

The last says how far the figures come from choosing the weights on the talks that are reported.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product
from typing import Any

import numpy as np

from benchmarks.recall.evidence import Labelled, Recalls, recalls
from memory.retrieval.rankers.base import Candidates, Question, Ranker, Scores
from memory.retrieval.rankers.best import WEIGHTS, BestRanker, Weights
from memory.retrieval.rankers.formulas import CosineRanker, HybridRanker

_GRID = {"named": (0.2, 0.4, 0.6), "length": (0.05, 0.1, 0.2), "date": (0.2, 0.4, 0.6)}
_OF_VECTORS = {"vector": (0.8, 1.2, 1.8)}
_BARE = Weights(vector=WEIGHTS.vector, named=0, length=0, date=0, reach=0, vector_reach=0)
_PARTS: dict[str, dict[str, Any]] = {
    "neighbours' words": {"reach": WEIGHTS.reach},
    "neighbours' cosines": {"vector_reach": WEIGHTS.vector_reach},
    "who is named": {"named": WEIGHTS.named},
    "length": {"length": WEIGHTS.length},
    "dates": {"date": WEIGHTS.date},
}


@dataclass(frozen=True, slots=True)
class Choice:
    """`held_out`: each question's recall by the weights that were best on the other conversations.

    `worst` and `middle`: mean recalls of the settings of the grid.
    """

    held_out: Recalls
    worst: tuple[float, ...]
    middle: tuple[float, ...]
    settings: int


class WithoutVectors(Ranker):
    """Another ranker, as if nothing had been embedded."""

    slug = "without-vectors"

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        blind = replace(candidates, cosine=np.full(len(candidates), np.nan))
        return self._ranker.rank(blind, question, now)


def published() -> Iterator[tuple[str, Ranker]]:
    """What others rank by, on the same texts."""
    yield "cosine", CosineRanker()
    yield "hybrid: BM25 and cosine by RRF, k = 60", HybridRanker()


def built_up(*, vectors: bool) -> Iterator[tuple[str, Ranker]]:
    """Each step is compared with the one before it."""
    bare = BestRanker(_BARE)
    yield "BM25 of single turns", WithoutVectors(bare)
    if vectors:
        yield "+ cosine, as a sum", bare
    weights = _BARE
    for name, change in _parts(vectors=vectors):
        weights = replace(weights, **change)
        yield f"+ {name}", BestRanker(weights)


def taken_away(*, vectors: bool) -> Iterator[tuple[str, Ranker]]:
    """Each is compared with the whole."""
    for name, change in _parts(vectors=vectors):
        yield f"without {name}", BestRanker(replace(WEIGHTS, **dict.fromkeys(change, 0)))


def choose(labelled: Sequence[Labelled], *, vectors: bool) -> Choice:
    """Every conversation is left out once. The best is by recall at the first cut."""
    by_setting = np.array([recalls(labelled, BestRanker(weights)) for weights in _settings(vectors=vectors)])
    talks = np.array([one.talk for one in labelled])
    held_out = np.zeros(by_setting.shape[1:])
    for talk in set(talks):
        inside = talks == talk
        best = int(by_setting[:, ~inside, 0].mean(axis=1).argmax())
        held_out[inside] = by_setting[best][inside]
    means = by_setting.mean(axis=1)
    return Choice(held_out, tuple(means.min(axis=0)), tuple(np.median(means, axis=0)), len(means))


def _parts(*, vectors: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, change in _PARTS.items():
        if vectors or "vector_reach" not in change:
            yield name, change


def _settings(*, vectors: bool) -> list[Weights]:
    grid: dict[str, Any] = _GRID | _OF_VECTORS if vectors else _GRID
    return [replace(WEIGHTS, **dict(zip(grid, values, strict=True))) for values in product(*grid.values())]
