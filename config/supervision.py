"""Supervise child processes, for the worker and for `serve`: start them, restart them when they die, end them.

The parent has no threads and no database connection, so that it can fork at any time.
"""

import ctypes
import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

_OUR_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_FIRST_PAUSE_SECONDS = 0.5
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG, prctl(2)


class Child:
    """A supervised process, which runs or waits to be restarted.

    If it ended within `steady` seconds, it failed to start. After each such failure in a row the pause before the next
    start doubles, up to `longest` seconds; the first `free` failures cause no pause.
    """

    def __init__(
        self,
        name: str,
        target: Callable[[], None],
        *,
        steady: float = 3.0,
        longest: float = 5.0,
        free: int = 1,
    ) -> None:
        self.name, self._target = name, target
        self._steady, self._longest, self._free = steady, longest, free
        self.pid: int | None = None
        self._start_at = self._started_at = 0.0
        self._failures = 0

    def start_if_time(self, now: float) -> bool:
        """Fork it if it is not running and its pause is over."""
        if self.pid is not None or now < self._start_at:
            return False
        self._started_at = now
        self.pid = fork(self._target, name=self.name)
        return True

    def ended(self, now: float) -> float:
        """Note that it ended. Return the pause before the next start, in seconds."""
        self.pid = None
        self._failures = self._failures + 1 if now - self._started_at <= self._steady else 1
        doubled = min(self._failures - 1 - self._free, 10)
        pause = min(self._longest, _FIRST_PAUSE_SECONDS * 2**doubled) if doubled >= 0 else 0.0
        self._start_at = now + pause
        return pause


class Supervisor:
    """Keeps `children` running until SIGTERM, SIGINT or SIGHUP. Subclasses say what else happens."""

    tick_seconds = 0.5

    def __init__(self, children: Sequence[Child]) -> None:
        self._children = children
        self._wake: int
        self._stops = 0  # signals to stop so far

    def run(self) -> None:
        share_memory_with_children()
        self._wake = self._catch_signals()
        while not self._stops:
            now = time.monotonic()
            self._reap(now)
            for child in self._children:
                self._tend(child, now)
            self._look(now)
            self._sleep(self.tick_seconds)
        self._stop()

    def _tend(self, child: Child, now: float) -> None:
        child.start_if_time(now)

    def _look(self, now: float) -> None:
        """Do something each round, after the children were tended."""

    def _child_ended(self, child: Child, status: int, pause: float) -> None:
        """Called for each child that ended by itself, with its `status` from os.wait."""

    def _stop(self) -> None:
        """End the children."""
        raise NotImplementedError

    def _kill(self, child: Child) -> None:
        if child.pid:
            kill_group(child.pid)
        while child.pid:
            self._sleep(self.tick_seconds)
            self._reap(time.monotonic())

    def _end(
        self,
        *children: Child,
        grace: float,
        idle: Callable[[], bool] = lambda: False,
        idle_grace: float = 0.0,
        most_stops: int = 2,
    ) -> None:
        """Ask the children to stop, and wait. Kill what is left after `grace` seconds, after `idle_grace` seconds
        without work, or after `most_stops` signals.
        """
        for child in children:
            if child.pid:
                os.kill(child.pid, signal.SIGTERM)
        now = busy_at = time.monotonic()
        deadline = now + grace
        while any(child.pid for child in children) and now < deadline and self._stops < most_stops:
            if idle() and now - busy_at >= idle_grace:
                break
            self._sleep(0.05)
            now = time.monotonic()
            self._reap(now)
            busy_at = busy_at if idle() else now
        for child in children:
            if child.pid and now >= deadline:
                log.warning(
                    "a process did not stop in time", event_name="worker.process.killed", process=child.name
                )
            self._kill(child)

    def _reap(self, now: float) -> None:
        """Reap children that ended, and orphans, which are left to us if we are a container's first process."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            for child in self._children:
                if child.pid == pid:
                    kill_group(pid)  # what it started must not outlive it
                    pause = child.ended(now)
                    if not self._stops:
                        self._child_ended(child, status, pause)

    def _sleep(self, seconds: float) -> None:
        """Sleep until a signal arrives, a child ends, or the time is over."""
        if select.select([self._wake], [], [], seconds)[0]:
            os.read(self._wake, 4096)

    def _catch_signals(self) -> int:
        """Count signals to stop, and let any signal end a `_sleep`. Return the file descriptor to sleep on."""
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


def fork(target: Callable[[], None], *, name: str) -> int:
    """Run `target` in a child with a process group of its own; return its PID."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    pid = os.fork()
    if pid:
        with suppress(OSError):  # the child does it too, and may be first
            os.setpgid(pid, pid)
        return pid
    status = 1
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in _OUR_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        name_process(f"rapport-{name}")
        target()
        status = 0
    except Exception as error:
        log.error(
            "a process of the worker failed", event_name="worker.process.failed", process=name, exc_info=error
        )
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)  # never back into the parent's code


def die_with_parent(number: signal.Signals) -> None:
    """Let the kernel send this process the signal when its parent is gone, as nobody would stop it. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, number)


def name_process(name: str) -> None:
    """Set this process's name in ps, top and the drills (15 characters), if the system allows it."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name)


def share_memory_with_children() -> None:
    """Freeze the present objects, so that children share their memory. Call it once, before the first fork."""
    gc.collect()
    gc.freeze()


def kill_group(leader: int) -> None:
    """Kill everything in a child's process group, if anything is left."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
