"""What times mean, and what processes take of the machine."""

import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import psutil

T = TypeVar("T")
Processes = Mapping[str, list[psutil.Process]]


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0..1) of them do not pass, by nearest rank; of at least one value."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def p50(values: Sequence[float]) -> float:
    return percentile(values, 0.5)


def p95(values: Sequence[float]) -> float:
    return percentile(values, 0.95)


def milliseconds_of(call: Callable[[], Any]) -> float:
    began = perf_counter()
    call()
    return (perf_counter() - began) * 1000


def time_calls(*calls: Callable[[], Any], times: int) -> list[list[float]]:
    """Milliseconds of each call, `times` of each, after a tenth of them to warm up.

    The calls take turns, so that all of them meet the machine in the same state.
    """
    warm = times // 10
    taken = [[milliseconds_of(call) for call in calls] for _ in range(warm + times)]
    return [list(one) for one in zip(*taken[warm:], strict=True)]


def memory_of(processes: Iterable[psutil.Process]) -> float:
    """MB of these together, each shared page counted once (PSS); where the system knows no PSS, in every process."""
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            used = process.memory_full_info()
            total += getattr(used, "pss", used.rss)
    return total / 2**20


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
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
