"""Who gets a thread, and when: a line of waiting requests for each client, and the lines take turns.

One client may have only so many requests open at once, and only so many of them running, so that whatever one of them
sends, threads are left for the others. No asyncio and no Django here.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Lock, get_ident

Job = Callable[[], None]

YOUNG_LIMIT, YOUNG_SECONDS = 2, 0.01


@dataclass(slots=True)
class _Line:
    limit: int
    waiting: deque[Job] = field(default_factory=deque)
    running: int = 0


class FairQueue:
    """Jobs for a pool of threads. Of the clients with something to do, the one served longest ago comes first.

    Threads that all compute only take Python's lock from one another, which costs as much again as their work. So no
    more than `young_limit` jobs that began less than YOUNG_SECONDS ago run at once. Who runs for longer waits for
    something, as a rule, and is not counted: another one begins.
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
        self._turns: deque[str] = deque()  # each client that has a job waiting and may run one more, once
        self._began: dict[int, float] = {}  # when the job of a thread began, of the young ones; oldest first
        self._watched = False  # whether a thread waits for a young job to be one no longer
        self._changed = Condition()

    def put(self, client: str, job: Job, *, limit: int | None = None) -> None:
        """`limit`: how many of this client's jobs run at once, where that is not what the others may."""
        with self._changed:
            line = self._lines.get(client)
            if line is None:
                line = self._lines[client] = _Line(limit or self._limit)
            line.waiting.append(job)
            # More than one waiting: its turn is noted already, or it runs as many as it may.
            if len(line.waiting) == 1 and line.running < line.limit:
                self._turns.append(client)
                self._wake_one()

    def work(self) -> None:
        """What each thread of the pool does, for ever. Jobs don't raise."""
        while True:
            client, job = self.take()
            try:
                job()
            finally:
                self.finished(client)

    def take(self) -> tuple[str, Job]:
        """Wait for a job. Its thread says `finished` afterwards."""
        with self._changed:
            self._wait_for_turn()
            client = self._turns.popleft()
            line = self._lines[client]
            line.running += 1
            job = line.waiting.popleft()
            if line.waiting and line.running < line.limit:
                self._turns.append(client)
            self._began[get_ident()] = self._clock()
            if self._turns:
                self._wake_one()
        return client, job

    def finished(self, client: str) -> None:
        with self._changed:
            self._began.pop(get_ident(), None)
            line = self._lines[client]
            line.running -= 1
            if line.waiting and line.running == line.limit - 1:
                self._turns.append(client)
            elif not line.waiting and not line.running:
                del self._lines[client]

    def _wait_for_turn(self) -> None:
        """Until somebody has a turn and there is room for one more that is young."""
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
        """A thread to take the turn, or to watch for room; where there is no room and one watches, nobody."""
        if not self._watched or len(self._began) < self._young_limit:
            self._changed.notify()


class Places:
    """So many at once for each client and so many for all of them together."""

    def __init__(self, *, each: int, together: int) -> None:
        self._each, self._free = each, together
        self._taken: dict[str, int] = {}
        self._lock = Lock()

    def take(self, client: str) -> bool:
        """False, and nothing is taken, where there is no place left."""
        with self._lock:
            taken = self._taken.get(client, 0)
            if taken >= self._each or not self._free:
                return False
            self._taken[client] = taken + 1
            self._free -= 1
            return True

    def give_back(self, client: str) -> None:
        with self._lock:
            self._free += 1
            taken = self._taken[client] - 1
            if taken:
                self._taken[client] = taken
            else:
                del self._taken[client]
