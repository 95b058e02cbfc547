"""Notes what each process takes of the memory while the soak runs."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

import psutil

from benchmarks.usage import Processes, memory_of

EVERY_SECONDS = 5.0
READER = "rapport-reader"  # as the pool names them


@dataclass(frozen=True, slots=True)
class Sample:
    """`rss`: of each process, by its service (web, worker, or reader: a worker's process that reads turns) and ID.

    `database`: of all its processes, PSS. MB. A process that was started anew has a new ID.
    """

    at: float
    rss: Mapping[str, float]
    database: float


class Watch:
    """A thread of its own, from entering to leaving."""

    def __init__(self, processes: Callable[[], Processes]) -> None:
        self._processes = processes
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._began = 0.0
        self.samples: list[Sample] = []

    def __enter__(self) -> "Watch":
        self._began = perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            found = self._processes()
            rss = {
                f"{_kind(process, service)} {process.pid}": size
                for service in ("web", "worker")
                for process, size in _sizes(found[service], "rss")
            }
            database = sum(size for _, size in _sizes(found["database"], "pss"))
            self.samples.append(Sample(perf_counter() - self._began, rss, database))


def _kind(process: psutil.Process, service: str) -> str:
    with suppress(psutil.Error):
        return "reader" if process.name() == READER else service
    return service


def _sizes(processes: Sequence[psutil.Process], kind: str) -> list[tuple[psutil.Process, float]]:
    sizes = []
    for process in processes:
        with suppress(psutil.Error):
            sizes.append((process, float(getattr(memory_of(process), kind))))
    return sizes
