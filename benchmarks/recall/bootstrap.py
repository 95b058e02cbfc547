"""How sure a mean is: percentile bootstrap over the questions (Efron 1979)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES, SEED = 2000, 7


class Interval(NamedTuple):
    """A mean, and between what 95 of 100 resamples lie."""

    mean: float
    low: float
    high: float


def interval(values: NDArray[np.float64]) -> Interval:
    """Of at least one value. The same seed for all: a paired difference is the interval of the differences."""
    random = np.random.default_rng(SEED)
    means = values[random.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(values.mean()), float(low), float(high))
