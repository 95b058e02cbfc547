"""Decide which request gets a thread, and when: each client has a line of waiting requests, and the lines take turns.

A client's open and running requests are limited, so that threads are left for the others, whatever it sends. Within a
client's line its people take turns, and each may have a share of these limits: so the holder of a token can't block the
project that issued it. No asyncio and no Django here.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Lock, Thread, get_ident
from typing import NamedTuple

Job = Callable[[], None]


class Client(NamedTuple):
    """The client of a request. `person`: one of the client's people; "" for the client itself."""

    name: str
    person: str = ""


def share(limit: int) -> int:
    """How many of a client's `limit` one person may have."""
    return max(1, limit // 3)


YOUNG_LIMIT, YOUNG_SECONDS = 2, 0.01


@dataclass(slots=True)
class _Line:
    limit: int
    waiting: dict[str, deque[Job]] = field(default_factory=dict)  # by person, served longest ago first
    running: int = 0
    running_of: dict[str, int] = field(default_factory=dict)  # by person
    has_turn: bool = False

    def next(self) -> str | None:
        """The person whose job may run now, if any."""
        if self.running >= self.limit:
            return None
        most = share(self.limit)
        return next((one for one in self.waiting if not one or self.running_of.get(one, 0) < most), None)

    def take(self) -> tuple[str, Job]:
        person = self.next()
        assert person is not None, "a line without a job has no turn"
        jobs = self.waiting.pop(person)
        job = jobs.popleft()
        if jobs:
            self.waiting[person] = jobs
        self.running += 1
        self.running_of[person] = self.running_of.get(person, 0) + 1
        return person, job

    def finished(self, person: str) -> None:
        self.running -= 1
        self.running_of[person] -= 1
        if not self.running_of[person]:
            del self.running_of[person]


class FairQueue:
    """Jobs for a pool of threads. Of the clients with waiting jobs, the one served longest ago comes first.

    Threads that all compute only take Python's lock from each other, which costs as much as their work. So at most
    `young_limit` jobs run at once that began less than YOUNG_SECONDS ago. One that runs for longer mostly waits for
    something, so it is not counted, and another one begins.
    """

    def __init__(
        self,
        *,
        running_limit: int,
        young_limit: int = YOUNG_LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit, self._young_limit, self._clock = running_limit, young_limit, clock
        self._lines: dict[str, _Line] = {}
        self._turns: deque[str] = deque()  # each client with a waiting job that may run now, once
        self._began: dict[int, float] = {}  # when young jobs began, by thread, oldest first
        self._watched = False  # whether a thread waits until a job isn't young any more
        self._threads = 0
        self._changed = Condition()

    def add_thread(self, name: str, *, most: int) -> None:
        """Start another thread for these jobs, unless there are `most` of them."""
        with self._changed:
            if self._threads >= most:
                return
            self._threads += 1
        Thread(target=self.work, name=name, daemon=True).start()

    def put(self, client: Client, job: Job, *, limit: int | None = None) -> None:
        """Add a job. `limit`: how many of this client's jobs may run at once, if it differs from other clients'."""
        with self._changed:
            line = self._lines.get(client.name)
            if line is None:
                line = self._lines[client.name] = _Line(limit or self._limit)
            line.waiting.setdefault(client.person, deque()).append(job)
            if self._note_turn(client.name, line):
                self._wake_one()

    def work(self) -> None:
        """The endless loop of each thread of the pool. Jobs don't raise."""
        while True:
            self.work_once()

    def work_once(self) -> None:
        client, job = self.take()
        try:
            job()
        finally:
            self.finished(client)

    def take(self) -> tuple[Client, Job]:
        """Wait for a job and take it. Its thread must call `finished` afterwards."""
        with self._changed:
            self._wait_for_turn()
            name = self._turns.popleft()
            line = self._lines[name]
            line.has_turn = False
            person, job = line.take()
            self._note_turn(name, line)
            self._began[get_ident()] = self._clock()
            if self._turns:
                self._wake_one()
        return Client(name, person), job

    def finished(self, client: Client) -> None:
        with self._changed:
            self._began.pop(get_ident(), None)
            line = self._lines[client.name]
            line.finished(client.person)
            self._note_turn(client.name, line)
            if not line.waiting and not line.running:
                del self._lines[client.name]

    def _note_turn(self, name: str, line: _Line) -> bool:
        """Give the line a turn, if it may have one more; return whether it got one."""
        if line.has_turn or line.next() is None:
            return False
        line.has_turn = True
        self._turns.append(name)
        return True

    def _wait_for_turn(self) -> None:
        """Wait until a client has a turn and one more young job may run."""
        while True:
            if not self._turns:
                self._changed.wait()
            elif (seconds := self._seconds_to_room()) <= 0:
                return
            elif self._watched:
                self._changed.wait()
            else:
                self._watched = True
                self._changed.wait(seconds)
                self._watched = False

    def _seconds_to_room(self) -> float:
        now = self._clock()
        while self._began:
            thread, began = next(iter(self._began.items()))
            if began + YOUNG_SECONDS > now:
                return began + YOUNG_SECONDS - now if len(self._began) >= self._young_limit else 0.0
            del self._began[thread]
        return 0.0

    def _wake_one(self) -> None:
        """Wake a thread to take the turn, or to watch for room; unless there is none and one is already watching."""
        if not self._watched or len(self._began) < self._young_limit:
            self._changed.notify()


class Places:
    """Limits what is open at once: for each client, for all clients together, and a person's share of the client's."""

    def __init__(self, *, each: int, together: int) -> None:
        self._each, self._free = each, together
        self._taken: dict[Client, int] = {}
        self._lock = Lock()

    def take(self, client: Client) -> bool:
        """Take a place. False if there is none left."""
        with self._lock:
            holders = self._holders(client)
            if not self._free or any(self._taken.get(one, 0) >= most for one, most in holders.items()):
                return False
            for one in holders:
                self._taken[one] = self._taken.get(one, 0) + 1
            self._free -= 1
            return True

    def give_back(self, client: Client) -> None:
        with self._lock:
            self._free += 1
            for one in self._holders(client):
                self._taken[one] -= 1
                if not self._taken[one]:
                    del self._taken[one]

    def _holders(self, client: Client) -> dict[Client, int]:
        """Those who hold the place (the client, and its person), with how many they may hold."""
        whole = {Client(client.name): self._each}
        return {**whole, client: share(self._each)} if client.person else whole
