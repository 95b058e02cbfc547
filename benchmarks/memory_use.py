"""What processes take of the machine."""

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import psutil

_MB = 1024 * 1024


class Memory(NamedTuple):
    """MB. `rss` counts shared pages whole, `pss` their share; where the system knows no PSS they are the same."""

    rss: float
    pss: float


def memory_of(process: psutil.Process) -> Memory:
    used = process.memory_full_info()
    return Memory(used.rss / _MB, getattr(used, "pss", used.rss) / _MB)


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """What these have used so far, those that ended left out."""
    total = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total
