"""Whether the pool still works, judged from outside of it. Pure: takes what the statistics page shows, and the time.

django-q2's workers share one queue behind one lock. A worker that is killed while it waits there takes the
lock along: its successors wait for ever, and nothing says so. What can be seen from outside: a process that
ended without goodbye, or tasks that wait while a worker has nothing to do. A pool whose workers are all busy
is not stuck, however long it takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.worker_stats import WorkerStats, WorkerView

# The clock ran on while nobody did: a paused container, a sleeping laptop, a starved machine.
_LONGEST_TICK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class PoolView:
    """The pool at one moment; times in monotonic seconds."""

    workers: Sequence[WorkerView]
    expected: int  # how many workers there should be
    guard_at: float
    handed: int
    handed_at: float
    started: int
    waiting_seconds: float  # how long the oldest task lies in the table

    @classmethod
    def of(cls, worker_stats: WorkerStats, *, expected: int) -> "PoolView":
        page = worker_stats.page
        return cls(
            workers=worker_stats.workers(),
            expected=expected,
            guard_at=page.guard_at,
            handed=page.handed,
            handed_at=page.handed_at,
            started=worker_stats.started,
            waiting_seconds=page.waiting_seconds,
        )


class Watchdog:
    """Looks several times a second; says why the pool has to be started anew, or nothing."""

    def __init__(self, *, limit: float, task_limit: float, now: float) -> None:
        """`limit`: seconds that work may wait beside an idle worker; `task_limit`: that one task may take."""
        self._limit, self._task_limit = limit, task_limit
        self._looked_at = self._steady_since = self._complete_at = now

    def look(self, pool: PoolView, *, now: float) -> str | None:
        """What is wrong with the pool; None if nothing is."""
        if now - self._looked_at > _LONGEST_TICK_SECONDS:
            self._steady_since = self._complete_at = now
        self._looked_at = now
        living = [worker for worker in pool.workers if worker.alive]
        if len(living) >= pool.expected:
            self._complete_at = now
        if any(not worker.alive and worker.busy_since is None for worker in pool.workers):
            return "an idle worker was killed and took the lock of the queue along"
        if now - max(pool.guard_at, self._steady_since) > self._limit:
            return "the guard of the pool does not move"
        if now - self._complete_at > self._limit:
            return "workers are missing and do not come back"
        if any(
            now - max(worker.busy_since or now, self._steady_since) > self._task_limit for worker in living
        ):
            return "a task overran its time and could not be ended"
        return self._stuck(pool, living, now)

    def _stuck(self, pool: PoolView, living: Sequence[WorkerView], now: float) -> str | None:
        waits = pool.handed > pool.started or pool.waiting_seconds > self._limit
        somebody_idle = any(worker.busy_since is None for worker in living)
        moved_at = max([self._steady_since, pool.handed_at, *(worker.changed_at for worker in living)])
        if waits and somebody_idle and now - moved_at > self._limit:
            return "tasks wait, and an idle worker does not take them"
        return None
