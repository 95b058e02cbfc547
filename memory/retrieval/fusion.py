"""Rankings made into one. Pure arithmetic."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RRF_K = 60  # as published (Cormack, Clarke and Buettcher 2009)


def order_of(*scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Places of the rows, best first; of equal scores the later row first. More scores than one: each decides where
    those before it are equal."""
    places = np.arange(len(scores[0]))
    return np.lexsort((-places, *(-score for score in reversed(scores))))


def fuse_ranks(
    score_lists: Sequence[NDArray[np.float64]], *, k: int = RRF_K
) -> tuple[NDArray[np.float64], ...]:
    """What each list gives each row by Reciprocal Rank Fusion: 1 / (k + rank). Their sum is the fused score.

    All lists are of one length. A row with NaN stands in no rank of that list, and gets nothing from it.
    """
    return tuple(_reciprocal_ranks(scores, k) for scores in score_lists)


def _reciprocal_ranks(scores: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    given = np.zeros(len(scores))
    ranked = np.flatnonzero(~np.isnan(scores))
    best_first = ranked[order_of(scores[ranked])]
    given[best_first] = 1 / (k + np.arange(1, len(ranked) + 1))
    return given
