"""The maintenance process: it runs beside the pool, sweeps, does the periodic tasks and writes the heartbeat.

It is a separate process, so that neither a slow database nor a slow periodic task can block the supervisor. It also
notices when the database is away, and restarts it if it is the embedded one.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import datetime

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.utils.module_loading import import_string

from config.postgresql.sessions import execute, node_went_away
from worker import lost_nodes
from worker.fairness import HEAD_AGE
from worker.heartbeat import beat, stop_beating
from worker.housekeeping import do_what_is_due, periodic_tasks
from worker.worker_stats import WorkerStats

log = structlog.get_logger(__name__)

BEAT_SECONDS = 1.0
_FIRST_SECONDS = 0.1  # before the first heartbeat, for which whoever started the worker waits
_POOL_WORD_SECONDS = 3.0  # how old the supervisor's report on the pool may be
# That a stop leaves to a sweep and a periodic task, as the locks of a statement that is cut off outlive the process.
_LAST_SECONDS = 3.0
_RETRY_SECONDS = 1.0  # after a failure; between two looks for periodic tasks
_BACKOFF_SECONDS, _LONGEST_BACKOFF_SECONDS = 0.2, 5.0


class Maintenance:
    """`name` is the worker's in the heartbeat; `revive_database` starts the database if it is ours to start."""

    def __init__(
        self, shared: WorkerStats, *, name: str, supervisor: int, revive_database: Callable[[], None]
    ) -> None:
        self._stats, self._name, self._supervisor = shared, name, supervisor
        self._revive_database = revive_database
        self._stopping = threading.Event()
        self._sweep = import_string(settings.SWEEP)()
        self._periodic_tasks = periodic_tasks()
        self._sweeping_since: float | None = None  # monotonic
        self._database_since: float | None = None
        self._outage = 0
        self._has_beaten = False

    def run(self) -> None:
        """Loop until SIGTERM; then take back the leases of dead processes, and delete the heartbeat."""
        signal.signal(signal.SIGTERM, lambda *_: self._stopping.set())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threads = [
            threading.Thread(target=self._repeat, args=[do], name=do.__name__.lstrip("_"), daemon=True)
            for do in (self._find_owed_rows, self._do_periodic_tasks)
        ]
        for thread in threads:
            thread.start()
        while not self._stopping.is_set() and os.getppid() == self._supervisor:
            self._stopping.wait(self._round())
        self._stopping.set()
        until = time.monotonic() + _LAST_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        if os.getppid() == self._supervisor:
            self._say_goodbye()

    def _round(self) -> float:
        """Write the heartbeat, even while a sweep takes long. Returns how long to rest."""
        self._stats.page.maintenance_at = self._sweeping_since or time.monotonic()
        try:
            self._measure()
            self._beat()
        except DatabaseError as error:
            return _go_on_without() if node_went_away(error) else self._recover(error)
        if self._outage:
            log.info("the database is back", event_name="worker.database.back")
            self._outage = 0
        return BEAT_SECONDS if self._has_beaten else _FIRST_SECONDS

    def _find_owed_rows(self) -> float:
        self._sweeping_since = time.monotonic()
        try:
            now = _now()
            self._sweep.run(now)
            return float(self._sweep.seconds_to_rest(now))
        finally:
            self._sweeping_since = None

    def _do_periodic_tasks(self) -> float:
        do_what_is_due(self._periodic_tasks, now=_now())
        return _RETRY_SECONDS

    def _repeat(self, do: Callable[[], float]) -> None:
        """Repeat `do`, which returns how long to rest, while the database is there. Whatever fails, the loop goes on:
        nothing else would find due work.
        """
        rest = 0.0
        while not self._stopping.wait(rest):
            rest = _RETRY_SECONDS
            if self._outage:
                connection.close()
                continue
            try:
                rest = do()
            except Exception as error:
                connection.close()
                if node_went_away(error):
                    rest = _go_on_without()
                else:
                    log.warning(
                        "maintenance failed; trying again",
                        event_name="worker.maintenance.failed",
                        task=do.__name__.lstrip("_"),
                        exc_info=error,
                    )

    def _measure(self) -> None:
        """Measure, for the watchdog, how long the next task has been waiting while the pool could have taken it."""
        clock = time.monotonic()
        self._database_since = self._database_since or clock
        rows = execute(HEAD_AGE, [str(settings.Q_CLUSTER["name"])])
        self._stats.page.waiting_seconds = min(rows[0][0], clock - self._database_since) if rows else 0.0
        self._stats.page.measured_at = time.monotonic()

    def _beat(self) -> None:
        page = self._stats.page
        if time.monotonic() - page.pool_well_at < _POOL_WORD_SECONDS:
            beat(name=self._name, pool_restarts=page.pool_restarts, counters=self._stats.totals())
            self._has_beaten = True

    def _recover(self, error: DatabaseError) -> float:
        """After a failure of the database, try to revive it; return how long to wait before the next attempt."""
        attempt, self._outage = self._outage, self._outage + 1
        if not attempt:
            log.warning(
                "the database can't be reached; waiting for it",
                event_name="worker.database.away",
                exc_info=error,
            )
        self._database_since, self._stats.page.waiting_seconds = None, 0.0
        connection.close()
        try:
            self._revive_database()
        except Exception as failure:
            log.warning(
                "the database could not be started",
                event_name="worker.database.not_started",
                exc_info=failure,
            )
        return float(min(_LONGEST_BACKOFF_SECONDS, _BACKOFF_SECONDS * 2 ** min(attempt, 10)))

    def _say_goodbye(self) -> None:
        try:
            self._sweep.release_dead(_now())
            stop_beating(name=self._name)
        except DatabaseError:
            log.warning(
                "the database can't be reached; leases will expire", event_name="worker.database.away"
            )


def _now() -> datetime:
    """The database's time: by a clock that is ahead, what others hold or keep would end early."""
    now: datetime = execute("SELECT now()")[0][0]
    return now


def _go_on_without() -> float:
    """A node of a distributed database is down, so sweep the others; return how long to wait before that."""
    if lost_nodes.go_on_without():
        log.warning(
            "a node of the database can't be reached; going on without it", event_name="worker.node.away"
        )
    return _BACKOFF_SECONDS
