"""Who gets a thread, and when: a line of waiting requests for each client, and the lines take turns.

One client may have only so many requests open at once, and only so many of them running, so that whatever one of them
sends, threads are left for the others. No asyncio and no Django here.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock

Job = Callable[[], None]


@dataclass(slots=True)
class _Line:
    limit: int
    waiting: deque[Job] = field(default_factory=deque)
    running: int = 0


class FairQueue:
    """Jobs for a pool of threads. Of the clients with something to do, the one served longest ago comes first."""

    def __init__(self, *, running_limit: int) -> None:
        self._limit = running_limit
        self._lines: dict[str, _Line] = {}
        self._turns: SimpleQueue[str] = (
            SimpleQueue()
        )  # each client that has a job waiting and may run one more, once
        self._lock = Lock()

    def put(self, client: str, job: Job, *, limit: int | None = None) -> None:
        """`limit`: how many of this client's jobs run at once, where that is not what the others may."""
        with self._lock:
            line = self._lines.get(client)
            if line is None:
                line = self._lines[client] = _Line(limit or self._limit)
            line.waiting.append(job)
            # More than one waiting: its turn is noted already, or it runs as many as it may.
            if len(line.waiting) == 1 and line.running < line.limit:
                self._turns.put(client)

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
        client = self._turns.get()
        with self._lock:
            line = self._lines[client]
            line.running += 1
            job = line.waiting.popleft()
            if line.waiting and line.running < line.limit:
                self._turns.put(client)
        return client, job

    def finished(self, client: str) -> None:
        with self._lock:
            line = self._lines[client]
            line.running -= 1
            if line.waiting and line.running == line.limit - 1:
                self._turns.put(client)
            elif not line.waiting and not line.running:
                del self._lines[client]


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
