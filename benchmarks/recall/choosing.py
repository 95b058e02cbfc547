"""Weights chosen on some conversations, reported on the others: how far the figures come from the choosing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from benchmarks.recall.evidence import Posed, Recalls, recalls
from memory.retrieval.rankers.best import WEIGHTS, BestRanker, Weights

_GRID = {"named": (0.2, 0.4, 0.6), "length": (0.05, 0.1, 0.2), "date": (0.2, 0.4, 0.6)}
_OF_VECTORS = {"vector": (0.8, 1.2, 1.8)}


@dataclass(frozen=True, slots=True)
class Choice:
    """`held_out`: each question's recall by the weights that were best on the other conversations.

    `worst` and `middle`: mean recalls of the settings of the grid.
    """

    held_out: Recalls
    worst: tuple[float, ...]
    middle: tuple[float, ...]
    settings: int


def choose(posed: Sequence[Posed], *, vectors: bool) -> Choice:
    """Every conversation is left out once. The best is by recall at the first cut."""
    by_setting = np.array([recalls(posed, BestRanker(weights)) for weights in _settings(vectors=vectors)])
    talks = np.array([one.talk for one in posed])
    held_out = np.zeros(by_setting.shape[1:])
    for talk in set(talks):
        inside = talks == talk
        best = int(by_setting[:, ~inside, 0].mean(axis=1).argmax())
        held_out[inside] = by_setting[best][inside]
    means = by_setting.mean(axis=1)
    return Choice(held_out, tuple(means.min(axis=0)), tuple(np.median(means, axis=0)), len(means))


def _settings(*, vectors: bool) -> list[Weights]:
    grid: dict[str, Any] = _GRID | _OF_VECTORS if vectors else _GRID
    return [replace(WEIGHTS, **dict(zip(grid, values, strict=True))) for values in product(*grid.values())]
