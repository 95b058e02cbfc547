"""What times mean, and what processes take of the machine."""

import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import psutil

_MB = 1024 * 1024
T = TypeVar("T")
Processes = Mapping[str, list[psutil.Process]]


class Spread(NamedTuple):
    """The middle of several rounds, and the least and most of them."""

    middle: float
    low: float
    high: float


class Memory(NamedTuple):
    """MB. `rss` counts shared pages whole, `pss` their share; where the system knows no PSS they are the same."""

    rss: float
    pss: float


def spread(values: Sequence[float]) -> Spread:
    return Spread(median(values), min(values), max(values))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0..1) of them do not pass, by nearest rank; of at least one value."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def p50(values: Sequence[float]) -> float:
    return percentile(values, 0.5)


def p95(values: Sequence[float]) -> float:
    return percentile(values, 0.95)


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


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "load average": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def _processor() -> str:
    """Its name, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
