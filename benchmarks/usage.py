"""What processes take of the machine."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeVar

import psutil

_MB = 1024 * 1024
T = TypeVar("T")
Processes = Mapping[str, list[psutil.Process]]


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


def cpu_during(processes: Callable[[], Processes], work: Callable[[], T]) -> tuple[T, dict[str, float]]:
    """What `work` gives, and each service's CPU seconds meanwhile, which a busy machine hardly changes."""
    before = {service: cpu_seconds(found) for service, found in processes().items()}
    result = work()
    after = {service: cpu_seconds(found) for service, found in processes().items()}
    return result, {service: max(0.0, after[service] - before[service]) for service in after}
