"""The worker's parent process: starts the pool and the maintenance process, and restarts them if they die or get
stuck.
"""

import os
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django_q.conf import Conf

from config.supervision import Child, Supervisor
from worker.housekeeping import load_tasks
from worker.identity import worker_identity
from worker.maintenance import Maintenance
from worker.pool import run_pool
from worker.watchdog import Watchdog
from worker.worker_stats import WorkerStats

log = structlog.get_logger(__name__)

_MAINTENANCE_LIMIT_SECONDS = 180.0  # a crash recovery of the embedded database takes up to two minutes
_TICK_SECONDS = 0.5
_FIRST_TICK_SECONDS = 0.1  # until the pool is whole, which is soon after it began
_IDLE_GRACE_SECONDS = 1.5  # for a pool that stops without running tasks, which takes about half a second
_MAINTENANCE_GRACE_SECONDS = 10.0
_KILLED_SECONDS = 10.0  # a killed process needs a moment to be gone; more than this it never needs


class WorkerSupervisor(Supervisor):
    """`grace`: seconds that a stop leaves to turns in hand, unless a second signal comes; `revive_database`: see
    Maintenance.
    """

    def __init__(self, *, grace: float, revive_database: Callable[[], None]) -> None:
        load_tasks()
        self._grace = grace
        self._stats = WorkerStats()
        me = os.getpid()
        maintenance = Maintenance(
            self._stats, name=worker_identity(), supervisor=me, revive_database=revive_database
        )
        self._pool = Child("pool", lambda: run_pool(self._stats, supervisor=me))
        self._maintenance = Child("maintenance", maintenance.run)
        super().__init__((self._pool, self._maintenance))
        self._watchdog: Watchdog

    def run(self) -> None:
        log.info(
            "the worker starts", event_name="worker.started", processes=Conf.WORKERS, readers=settings.READERS
        )
        super().run()

    def _tend(self, child: Child, now: float) -> None:
        if child is self._pool and child.pid is None:
            self._stats.start_pool()
        if not child.start_if_time(now):
            return
        if child is self._maintenance:
            self._stats.page.maintenance_at = now
        else:
            self._watchdog = Watchdog(self._stats, now=now)

    def _look(self, now: float) -> None:
        if self._maintenance.pid and now - self._stats.page.maintenance_at > _MAINTENANCE_LIMIT_SECONDS:
            log.error(
                "the maintenance process hangs; restarting it",
                event_name="worker.maintenance.restarted",
            )
            self._kill(self._maintenance)
        if self._pool.pid is None:
            return
        wrong = self._watchdog.look(now=now)
        if wrong:
            log.error("restarting the pool", event_name="worker.pool.restarted", reason=wrong)
            self._kill(self._pool)
            return
        self.tick_seconds = _TICK_SECONDS if self._watchdog.complete else _FIRST_TICK_SECONDS
        if self._watchdog.complete:
            self._stats.page.pool_well_at = now

    def _child_ended(self, child: Child, status: int, pause: float) -> None:
        self._stats.page.pool_restarts += child is self._pool
        log.warning("a process ended", event_name="worker.process.ended", process=child.name, status=status)

    def _stop(self) -> None:
        """Stop the pool, which finishes running tasks; then the maintenance process, which releases what is left."""
        self._stats.page.stopping = 1
        self._end(self._pool, grace=self._grace, idle=self._nothing_in_hand, idle_grace=_IDLE_GRACE_SECONDS)
        self._see_readers_off()
        self._end(self._maintenance, grace=_MAINTENANCE_GRACE_SECONDS)
        log.info("the worker has stopped", event_name="worker.stopped")

    def _see_readers_off(self) -> None:
        """Wait until killed readers are gone, as the maintenance process only releases what dead processes hold."""
        deadline = time.monotonic() + _KILLED_SECONDS
        while time.monotonic() < deadline and any(worker.alive for worker in self._stats.workers()):
            self._sleep(0.02)
            self._reap(time.monotonic())

    def _nothing_in_hand(self) -> bool:
        return not any(worker.busy for worker in self._stats.workers() if worker.alive)
