"""The worker's parent process: starts the pool and the keeper, watches both, starts anew what died or got
stuck.

It has no thread and no database connection, so nothing can hold it up and it can fork at any time.
"""

import os
import select
import signal
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import connections
from django_q.conf import Conf

from memory.queue.board import Board
from memory.queue.forking import fork, kill_group, share_memory_with_children
from memory.queue.identity import worker_identity
from memory.queue.keeper import Keeper
from memory.queue.pool import run_pool
from memory.queue.watchdog import PoolView, Watchdog

log = structlog.get_logger(__name__)

_TICK_SECONDS = 0.25
_KEEPER_LIMIT_SECONDS = 180.0  # a crash recovery of the embedded database takes up to two minutes
_TASK_MARGIN_SECONDS = 30.0  # beyond django-q2's own time limit of a task
_STEADY_SECONDS = 3.0  # a child that lived so long did not fail at its start
_LONGEST_BACKOFF_SECONDS = 5.0
_IDLE_GRACE_SECONDS = 1.5  # for a pool that stops with nothing in hand: its own way takes about half a second
_KEEPER_GRACE_SECONDS = 10.0
_KILLED_SECONDS = 10.0  # a killed process needs a moment to be gone; more than this it never needs


class Child:
    """One of the two children: running, or waiting to be started again."""

    def __init__(self, name: str, target: Callable[[], None]) -> None:
        self.name, self._target = name, target
        self.pid: int | None = None
        self._start_at = self._started_at = 0.0
        self._failures = 0

    def start_if_time(self, now: float) -> bool:
        """Fork it if it does not run and its pause is over."""
        if self.pid is not None or now < self._start_at:
            return False
        self._started_at = now
        self.pid = fork(self._target, name=self.name)
        return True

    def ended(self, now: float) -> None:
        """It is gone: at once again after a steady life, later and later if it keeps dying young."""
        self.pid = None
        self._failures = 0 if now - self._started_at > _STEADY_SECONDS else self._failures + 1
        pause = 0.0 if self._failures < 2 else 0.5 * 2 ** min(self._failures - 2, 10)
        self._start_at = now + min(_LONGEST_BACKOFF_SECONDS, pause)


class Supervisor:
    """`grace`: seconds that a stop leaves to turns in hand; `revive_database`: see Keeper."""

    def __init__(self, *, grace: float, revive_database: Callable[[], None]) -> None:
        self._grace = grace
        self._board = Board()
        me = os.getpid()
        keeper = Keeper(self._board, name=worker_identity(), supervisor=me, revive_database=revive_database)
        self._pool = Child("pool", lambda: run_pool(self._board, supervisor=me))
        self._keeper = Child("keeper", keeper.run)
        self._expected = Conf.WORKERS
        self._watchdog: Watchdog
        self._wake: int
        self._stops = 0  # signals to stop that came

    def run(self) -> None:
        """Until SIGTERM or SIGINT; a second one does not wait for turns in hand."""
        connections.close_all()
        share_memory_with_children()
        self._wake = self._catch_signals()
        log.info("the worker starts", event_name="worker.started", workers=self._expected)
        while not self._stops:
            now = time.monotonic()
            self._reap(now)
            self._start_children(now)
            self._watch(now)
            _sleep(self._wake, _TICK_SECONDS)
        self._stop()
        log.info("the worker has stopped", event_name="worker.stopped")

    def _start_children(self, now: float) -> None:
        if self._pool.pid is None:
            self._board.start_pool()
        if self._pool.start_if_time(now):
            limit = settings.WATCHDOG_SECONDS
            task_limit = Conf.TIMEOUT + _TASK_MARGIN_SECONDS
            self._watchdog = Watchdog(limit=limit, task_limit=task_limit, now=now)
        if self._keeper.start_if_time(now):
            self._board.page.keeper_at = now

    def _watch(self, now: float) -> None:
        if self._keeper.pid and now - self._board.page.keeper_at > _KEEPER_LIMIT_SECONDS:
            log.error("the keeper does not move; starting it anew", event_name="worker.keeper.restarted")
            self._kill(self._keeper)
        if self._pool.pid is None:
            return
        wrong = self._watchdog.look(PoolView.of(self._board, expected=self._expected), now=now)
        if wrong:
            self._kill_pool(wrong)
            return
        self._board.page.pool_well_at = now
        for worker in self._board.workers():
            if not worker.alive:
                self._board.clear(worker.pid)  # died at work; its successor is there or comes

    def _kill_pool(self, reason: str) -> None:
        log.error("starting the pool anew", event_name="worker.pool.restarted", reason=reason)
        self._board.page.pool_restarts += 1
        self._kill(self._pool)

    def _kill(self, child: Child) -> None:
        if child.pid:
            kill_group(child.pid)
        while child.pid:
            _sleep(self._wake, _TICK_SECONDS)
            self._reap(time.monotonic())

    def _reap(self, now: float) -> None:
        """Take note of children that ended, and of orphans left to us where we are a container's first
        process.
        """
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            for child in (self._pool, self._keeper):
                if child.pid == pid:
                    kill_group(pid)  # what it started must not go on without it
                    child.ended(now)
                    if not self._stops:
                        log.warning(
                            "a process ended",
                            event_name="worker.process.ended",
                            process=child.name,
                            status=status,
                        )

    def _stop(self) -> None:
        """The pool first, finishing what is in hand; then the keeper, who hands back what is left."""
        self._board.page.stopping = 1
        self._end(self._pool, self._grace, idle=self._nothing_in_hand)
        self._see_readers_off()
        self._end(self._keeper, _KEEPER_GRACE_SECONDS)

    def _end(self, child: Child, grace: float, *, idle: Callable[[], bool] = lambda: False) -> None:
        """Ask it to stop; kill it when the grace is over, or when it has been idle and still there for a while."""
        if child.pid:
            os.kill(child.pid, signal.SIGTERM)
        now = busy_at = time.monotonic()
        deadline = now + grace
        while child.pid and now < deadline and now - busy_at < _IDLE_GRACE_SECONDS and self._stops < 2:
            _sleep(self._wake, 0.05)
            now = time.monotonic()
            self._reap(now)
            busy_at = busy_at if idle() else now
        if now >= deadline:
            log.warning(
                "a process did not stop in time", event_name="worker.process.killed", process=child.name
            )
        self._kill(child)

    def _see_readers_off(self) -> None:
        """Wait until killed readers are gone: the keeper hands back only what the dead held."""
        deadline = time.monotonic() + _KILLED_SECONDS
        while time.monotonic() < deadline and any(worker.alive for worker in self._board.workers()):
            _sleep(self._wake, 0.02)
            self._reap(time.monotonic())

    def _nothing_in_hand(self) -> bool:
        return all(worker.busy_since is None for worker in self._board.workers() if worker.alive)

    def _catch_signals(self) -> int:
        """Have SIGTERM and SIGINT counted, and any signal end a `_sleep`. The file to sleep on."""
        reading, writing = os.pipe()
        for end in (reading, writing):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._note_stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        return reading

    def _note_stop(self, *_: object) -> None:
        self._stops += 1


def _sleep(wake: int, seconds: float) -> None:
    """Until a signal comes, a child ends, or the time is over."""
    if select.select([wake], [], [], seconds)[0]:
        os.read(wake, 4096)
