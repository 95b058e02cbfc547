"""Variants of the ranker `best`: built up part by part, and each part taken away."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from memory.retrieval.rankers.base import Candidates, Question, Ranker, Scores
from memory.retrieval.rankers.best import WEIGHTS, BestRanker, Weights
from memory.retrieval.rankers.formulas import CosineRanker, HybridRanker

_BARE = Weights(vector=WEIGHTS.vector, named=0, length=0, date=0, reach=0, vector_reach=0)
_PARTS: dict[str, dict[str, Any]] = {
    "neighbours' words": {"reach": WEIGHTS.reach},
    "neighbours' cosines": {"vector_reach": WEIGHTS.vector_reach},
    "who is named": {"named": WEIGHTS.named},
    "length": {"length": WEIGHTS.length},
    "dates": {"date": WEIGHTS.date},
}


MEASURED = "measured"  # the slug in benchmarks.settings
_measured: Ranker = BestRanker()


def measure_ranker(ranker: Ranker) -> None:
    """Have searches with the slug MEASURED use this ranker from now on."""
    global _measured
    _measured = ranker


def measured() -> Ranker:
    return _measured


class WithoutVectors(Ranker):
    """A ranker that ignores vectors."""

    slug = "without-vectors"

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        blind = replace(candidates, cosine=np.full(len(candidates), np.nan))
        return self._ranker.rank(blind, question, now)


def published() -> Iterator[tuple[str, Ranker]]:
    """Published rankers, for comparison."""
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


def _parts(*, vectors: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, change in _PARTS.items():
        if vectors or "vector_reach" not in change:
            yield name, change
