"""Percentiles of times, and the memory and CPU time of processes."""

import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import psutil

T = TypeVar("T")
Processes = Mapping[str, list[psutil.Process]]  # by service


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0..1) of the values don't exceed, by nearest rank. At least one value."""
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


def alternate(*calls: Callable[[], T], rounds: int) -> list[list[T]]:
    """The results of each call. The calls are made in turn, so that a busy machine slows all of them alike."""
    results = [[call() for call in calls] for _ in range(rounds)]
    return [list(of_one) for of_one in zip(*results, strict=True)]


def time_calls(*calls: Callable[[], Any], times: int) -> list[list[float]]:
    """Milliseconds of each call, `times` of each, in turn, after a tenth as many to warm up."""
    warm = times // 10
    taken = alternate(*(partial(milliseconds_of, call) for call in calls), rounds=warm + times)
    return [milliseconds[warm:] for milliseconds in taken]


def memory_of(processes: Iterable[psutil.Process]) -> float:
    """MB of these processes together. Shared pages count once (PSS), or once per process if the system has no PSS."""
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            used = process.memory_full_info()
            total += getattr(used, "pss", used.rss)
    return total / 2**20


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """CPU time so far of those of these processes that still run."""
    total = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def cpu_during(processes: Callable[[], Processes], work: Callable[[], T]) -> tuple[T, dict[str, float]]:
    """Do the work. Return its result and the CPU seconds of each service during it."""
    before = {service: cpu_seconds(found) for service, found in processes().items()}
    result = work()
    after = {service: cpu_seconds(found) for service, found in processes().items()}
    return result, {service: max(0.0, after[service] - before[service]) for service in after}


def machine() -> dict[str, str]:
    """Describe this machine, for the report."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE) if info.exists() else []
    return {
        "cores": str(os.cpu_count()),
        "processor": models[0] if models else platform.processor(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "load average": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }
