"""Does actions at a steady rate, each at its scheduled time, and meanwhile samples the memory of the processes."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count, takewhile
from random import Random
from time import perf_counter, sleep

import psutil

from benchmarks.client import Unexpected
from benchmarks.soak.actions import MIX, People
from benchmarks.timing import Processes, memory_of

CLIENTS = 16
SAMPLED_EVERY_SECONDS = 5.0
READER = "rapport-reader"  # the name that the pool gives its readers


@dataclass(frozen=True, slots=True)
class Done:
    """One action. `at`: when it was due, in seconds from the beginning; `late`: seconds until it began."""

    action: str
    at: float
    late: float
    milliseconds: float
    error: str


@dataclass(frozen=True, slots=True)
class Sample:
    """`memory`: MB of each service's processes together. `lasting`: IDs of the processes that should not end.

    The worker's readers end and are replaced after some hundred tasks.
    """

    at: float
    memory: Mapping[str, float]
    lasting: frozenset[int]


def keep_pace(people: People, *, rate: float, seconds: float) -> list[Done]:
    """Begin `rate` actions per second for `seconds`, from CLIENTS threads."""
    done: list[Done] = []
    times = takewhile(lambda due: due < seconds, (number / rate for number in count()))
    lock, began = threading.Lock(), perf_counter()
    actions, weights = list(MIX), [weight for weight, _ in MIX.values()]

    def client(number: int) -> None:
        random = Random(number)
        while True:
            with lock:
                due = next(times, None)
            if due is None:
                return
            sleep(max(0.0, began + due - perf_counter()))
            left = perf_counter()
            (action,) = random.choices(actions, weights)
            error = ""
            try:
                MIX[action][1](people, people.somebody(random), random)
            except Unexpected as unexpected:
                error = str(unexpected)
            done.append(Done(action, due, left - began - due, (perf_counter() - left) * 1000, error))

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    return done


@contextmanager
def watched(processes: Callable[[], Processes], *, every: float) -> Iterator[list[Sample]]:
    """Yield a list to which a thread adds a sample every `every` seconds."""
    samples: list[Sample] = []
    stop, began = threading.Event(), perf_counter()

    def watch() -> None:
        while not stop.wait(every):
            found = processes()
            memory = {service: memory_of(those) for service, those in found.items()}
            lasting = {process.pid for process in (*found["web"], *found["worker"]) if _lasts(process)}
            samples.append(Sample(perf_counter() - began, memory, frozenset(lasting)))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield samples
    finally:
        stop.set()
        thread.join()


def _lasts(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.name() != READER
    return False
