from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds."""

    p50: float
    p99: float


def time_calls(*calls: Callable[[], Any], rounds: int) -> list[Timing]:
    """The middle and the slow end of `rounds` of each call, after a tenth of them to warm up.

    The calls take turns, so that all of them meet the machine in the same state.
    """
    taken: list[list[float]] = [[] for _ in calls]
    for round_ in range(-(rounds // 10), rounds):
        for call, times in zip(calls, taken, strict=True):
            began = perf_counter()
            call()
            if round_ >= 0:
                times.append((perf_counter() - began) * 1000)
    return [Timing(times[rounds // 2], times[rounds * 99 // 100]) for times in map(sorted, taken)]
