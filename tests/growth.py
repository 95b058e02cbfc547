"""How much faster than its input work grows, told without looking at the clock on the wall.

`growth` gives the thread's own CPU time for an input four times as large, divided by that for the smaller one: about
4 where the work is in proportion, 16 where it is its square, 64 where it is its cube. MOST stands between them, and
what is over by the time that noise counts (FAST, seconds for the larger) is never held to it. CPU time of a thread
counts neither other processes nor the database; the best of several counts, and no garbage is collected meanwhile.
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
    """`work(make(size))` beside `work(make(4 * size))`: the smallest ratio of TRIES, or 0 where the larger is fast."""
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
