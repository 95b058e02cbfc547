"""An open loop: each action has its time, whether or not those before it are done. Beside it a watch on memory."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from time import perf_counter, sleep

import psutil

from benchmarks.client import Client, Unexpected
from benchmarks.soak.actions import MIX, People
from benchmarks.timing import Processes, memory_of

CLIENTS = 16
LATE_SECONDS = 0.1
SAMPLED_EVERY_SECONDS = 5.0
READER = "rapport-reader"  # as the pool names them


@dataclass(frozen=True, slots=True)
class Done:
    """One action. `at`: seconds from the beginning when it was due; `late`: how much later it left."""

    action: str
    at: float
    late: float
    milliseconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """`memory`: MB of each service's processes together, shared pages split.

    `lasting`: the IDs of those that should stay; the worker's readers make room for new ones after some hundred tasks.
    """

    at: float
    memory: Mapping[str, float]
    lasting: frozenset[int]


class Pace:
    """`rate` actions a second for `seconds`, from CLIENTS threads."""

    def __init__(self, *, rate: float, seconds: float, people: People, client: Client) -> None:
        self._rate, self._seconds, self._people, self._client = rate, seconds, people, client
        self._lock = threading.Lock()
        self._next = 0
        self._began = 0.0
        self.done: list[Done] = []

    def run(self) -> list[Done]:
        self._began = perf_counter()
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.done

    def _work(self, number: int) -> None:
        random = Random(number)
        actions, weights = list(MIX), list(MIX.values())
        while (due := self._take()) is not None:
            sleep(max(0.0, self._began + due - perf_counter()))
            late = perf_counter() - self._began - due
            (action,) = random.choices(actions, weights)
            error, began = "", perf_counter()
            try:
                action(self._client, self._people, random)
            except Unexpected as unexpected:
                error = str(unexpected)
            milliseconds = (perf_counter() - began) * 1000
            self.done.append(Done(action.__name__, due, late, milliseconds, error))

    def _take(self) -> float | None:
        """When the next action is due, in seconds from the beginning; None after the last."""
        with self._lock:
            due = self._next / self._rate
            self._next += 1
            return due if due < self._seconds else None


class Watch:
    """Notes what each service takes of the memory, in a thread of its own, from entering to leaving."""

    def __init__(self, processes: Callable[[], Processes], *, every: float = SAMPLED_EVERY_SECONDS) -> None:
        self._processes, self._every = processes, every
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
        while not self._stop.wait(self._every):
            memory: dict[str, float] = {}
            lasting: set[int] = set()
            for service, found in self._processes().items():
                for process in found:
                    with suppress(psutil.Error):
                        memory[service] = memory.get(service, 0.0) + memory_of(process).pss
                        if service != "database" and process.name() != READER:
                            lasting.add(process.pid)
            self.samples.append(Sample(perf_counter() - self._began, memory, frozenset(lasting)))
