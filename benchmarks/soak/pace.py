"""An open loop: each action has its time, whether or not those before it are done. Who comes too late is counted."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import perf_counter, sleep

from benchmarks.soak.actions import MIX
from benchmarks.soak.client import Caller, Unexpected
from benchmarks.soak.people import People

CLIENTS = 16
LATE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Done:
    """One action. `at`: seconds from the beginning when it was due; `late`: how much later it left."""

    action: str
    at: float
    late: float
    milliseconds: float
    error: str = ""


class Pace:
    """`rate` actions a second for `seconds`, from CLIENTS threads."""

    def __init__(self, *, rate: float, seconds: float, people: People, call: Callable[[], Caller]) -> None:
        self._rate, self._seconds, self._people, self._call = rate, seconds, people, call
        self._lock = threading.Lock()
        self._next = 0
        self._began = 0.0
        self.done: list[Done] = []

    def run(self, told: Callable[[float], None]) -> None:
        """`told` hears now and then how many seconds have passed."""
        self._began = perf_counter()
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.5)
                told(min(self._seconds, perf_counter() - self._began))

    def _work(self, number: int) -> None:
        caller = self._call()
        random = Random(number)
        actions, weights = list(MIX), list(MIX.values())
        while (due := self._take()) is not None:
            sleep(max(0.0, self._began + due - perf_counter()))
            late = perf_counter() - self._began - due
            (action,) = random.choices(actions, weights)
            caller.begin()
            error = ""
            try:
                action(caller, self._people, random)
            except Unexpected as unexpected:
                error = str(unexpected)
            self.done.append(Done(action.__name__, due, late, caller.milliseconds, error))

    def _take(self) -> float | None:
        """When the next action is due, in seconds from the beginning; None after the last."""
        with self._lock:
            due = self._next / self._rate
            self._next += 1
            return due if due < self._seconds else None
