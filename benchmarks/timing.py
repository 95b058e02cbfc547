"""What times mean: arithmetic, and calls that take turns."""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple


class Spread(NamedTuple):
    """The middle of several rounds, and the least and most of them."""

    middle: float
    low: float
    high: float


def spread(values: Sequence[float]) -> Spread:
    return Spread(median(values), min(values), max(values))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0..1) of them do not pass, by nearest rank; of at least one value."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def time_calls(*calls: Callable[[], Any], times: int) -> list[list[float]]:
    """Milliseconds of each call, `times` of each, after a tenth of them to warm up.

    The calls take turns, so that all of them meet the machine in the same state.
    """
    taken: list[list[float]] = [[] for _ in calls]
    for turn in range(-(times // 10), times):
        for call, milliseconds in zip(calls, taken, strict=True):
            began = perf_counter()
            call()
            if turn >= 0:
                milliseconds.append((perf_counter() - began) * 1000)
    return taken
