"""Whether the pool still works, judged from outside of it, by the statistics page and the time.

django-q2's workers share one queue behind one lock. A worker that is killed while it waits there takes the
lock along: its successors wait for ever, and nothing says so. What can be seen from outside: a process that
ended without goodbye, or tasks that wait while a worker has nothing to do. A pool whose workers are all busy
is not stuck, however long it takes.
"""

from collections.abc import Sequence

from worker.worker_stats import WorkerStats, WorkerView

# The clock ran on while nobody did: a paused container, a sleeping laptop, a starved machine.
_LONGEST_TICK_SECONDS = 2.0


class Watchdog:
    """Looks several times a second; says why the pool has to be started anew, or nothing. Times are monotonic."""

    def __init__(
        self, stats: WorkerStats, *, expected: int, limit: float, task_limit: float, now: float
    ) -> None:
        """`expected`: how many workers there should be; `limit`: seconds that work may wait beside an idle one;
        `task_limit`: that one task may take.
        """
        self._stats, self._expected, self._limit, self._task_limit = stats, expected, limit, task_limit
        self._looked_at = self._steady_since = self._complete_at = now

    def look(self, *, now: float) -> str | None:
        """What is wrong with the pool; None if nothing is."""
        workers = self._stats.workers()
        if now - self._looked_at > _LONGEST_TICK_SECONDS:
            self._steady_since = self._complete_at = now
        self._looked_at = now
        living = [worker for worker in workers if worker.alive]
        if len(living) >= self._expected:
            self._complete_at = now
        if any(not worker.alive and worker.busy_since is None for worker in workers):
            return "an idle worker was killed and took the lock of the queue along"
        if now - max(self._stats.page.guard_at, self._steady_since) > self._limit:
            return "the guard of the pool does not move"
        if now - self._complete_at > self._limit:
            return "workers are missing and do not come back"
        if any(
            now - max(worker.busy_since or now, self._steady_since) > self._task_limit for worker in living
        ):
            return "a task overran its time and could not be ended"
        return self._stuck(living, now)

    def _stuck(self, living: Sequence[WorkerView], now: float) -> str | None:
        page = self._stats.page
        waits = page.handed > self._stats.started or page.waiting_seconds > self._limit
        somebody_idle = any(worker.busy_since is None for worker in living)
        moved_at = max([self._steady_since, page.handed_at, *(worker.changed_at for worker in living)])
        if waits and somebody_idle and now - moved_at > self._limit:
            return "tasks wait, and an idle worker does not take them"
        return None
