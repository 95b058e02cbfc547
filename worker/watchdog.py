"""Judge from outside whether the pool still works, by the statistics page and the clock.

django-q2's processes share a queue with one lock. A process that is killed may keep that lock, and then its successors
wait for ever without an error. So the whole pool is restarted if a process ended irregularly, or if tasks wait while a
reader is idle. A pool whose readers are all busy is not stuck, however long it takes.
"""

from collections.abc import Sequence

from django.conf import settings
from django_q.conf import Conf

from worker.worker_stats import WorkerStats, WorkerView

# Nothing ran for so long: a paused container, a sleeping laptop, an overloaded machine.
_LONGEST_TICK_SECONDS = 2.0
# How old the maintenance process's word on waiting tasks may be: while it is held up, they may all have been taken.
_MEASURED_SECONDS = 3.0


class Watchdog:
    """Checks the pool twice a second, and says why it must be restarted, if it must. Times are monotonic."""

    def __init__(self, stats: WorkerStats, *, now: float) -> None:
        self._stats = stats
        self._limit: float = settings.WATCHDOG_SECONDS  # that work may wait although a reader is idle
        self._looked_at = self._steady_since = self._complete_at = now
        self.complete = False  # whether it saw all processes at the last look

    def look(self, *, now: float) -> str | None:
        """What is wrong with the pool; None if nothing is."""
        workers = self._stats.workers()
        if now - self._looked_at > _LONGEST_TICK_SECONDS:
            self._steady_since = self._complete_at = now
        self._looked_at = now
        self.complete = len(workers) >= Conf.WORKERS
        if self.complete:
            self._complete_at = now
        if not all(worker.alive for worker in workers):
            return "a process of it was killed"
        if now - self._complete_at > self._limit:
            return "processes are missing and do not come back"
        begun = [max(worker.busy_since, self._steady_since) for worker in workers if worker.busy_since]
        if now - min(begun, default=now) > settings.TASK_SECONDS:
            return "a task overran its time"
        return self._stuck(workers, now)

    def _stuck(self, workers: Sequence[WorkerView], now: float) -> str | None:
        page = self._stats.page
        is_known = now - page.measured_at < _MEASURED_SECONDS
        waits = page.handed > self._stats.taken or (is_known and page.waiting_seconds > self._limit)
        somebody_idle = any(worker.busy < settings.READERS for worker in workers)
        moved_at = max([self._steady_since, page.handed_at, *(worker.changed_at for worker in workers)])
        if waits and somebody_idle and now - moved_at > self._limit:
            return "tasks wait, and an idle reader does not take them"
        return None
