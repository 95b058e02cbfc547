"""Measure how the time of a computation grows with its input, independently of other load.

`growth` returns the thread's CPU time for an input four times as large, divided by that for the smaller one: about 4 if
it is linear, 16 if quadratic, 64 if cubic. MOST is between the first two. It returns 0 for what is so fast that only
noise would count (FAST, seconds for the larger). A thread's CPU time includes neither other processes nor the database;
the best of several tries counts, and no garbage is collected meanwhile.
"""

import gc
import time
from collections.abc import Callable
from typing import Any

TIMES = 4
MOST = 9.0
FAST = 0.05
TRIES = 3


def growth(
    work: Callable[[Any], object], make: Callable[[int], Any], *, size: int, fast: float = FAST
) -> float:
    """The smallest ratio of `work(make(4 * size))` to `work(make(size))` in TRIES, or 0 if the larger is fast."""
    large, small = make(TIMES * size), None
    ratio = float("inf")
    for _ in range(TRIES):
        longer = seconds(work, large)
        if longer < fast:
            return 0.0
        small = small or make(size)
        ratio = min(ratio, longer / seconds(work, small))
        if ratio < MOST:
            break
    return ratio


def seconds(work: Callable[[Any], object], given: Any) -> float:
    gc.disable()
    try:
        began = time.thread_time()
        work(given)
        return time.thread_time() - began
    finally:
        gc.enable()
