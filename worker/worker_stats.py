"""A page of shared memory in which the processes of one worker note what they are doing.

`manage.py worker` makes the page before its first fork, so all of its processes share it. Each field is written by one
process and fits a machine word, so there is no lock that a killed process could keep. Times are `time.monotonic()`,
which is one clock for all processes of a machine. In other processes there is no page, and noting does nothing.
"""

import ctypes
import fcntl
import mmap
import os
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from config.logging import error_listeners
from worker.identity import process_start

SLOTS = 160  # more than 64 workers, and as many that just ended
# The upper bounds of the buckets that turns are counted in, by the time from being accepted to being applied.
TURN_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)


class _Bucket(ctypes.Structure):
    """Turns whose time was at most one of TURN_SECONDS and more than the one before, with the newest traced one."""

    _fields_ = [
        ("turns", ctypes.c_uint64),
        ("seconds", ctypes.c_double),  # sum over all of them
        ("trace", ctypes.c_uint64 * 2),  # 0: none
        ("traced_seconds", ctypes.c_double),
        ("traced_at", ctypes.c_double),  # time.time()
    ]


class _Slot(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_int64),  # 0: free
        ("busy", ctypes.c_uint64),  # running tasks
        ("busy_since", ctypes.c_double),  # since one of them began, or last had an answer of a model; 0: none
        ("changed_at", ctypes.c_double),
        ("taken", ctypes.c_uint64),  # tasks taken over from the pusher, by everyone who ever had the slot
        ("calls_in_flight", ctypes.c_int64),  # calls to models at the moment
        ("model_calls", ctypes.c_uint64),
        ("model_errors", ctypes.c_uint64),
        ("errors", ctypes.c_uint64),  # in Rapport, as the log has them
        ("prompt_tokens", ctypes.c_uint64),
        ("output_tokens", ctypes.c_uint64),
        ("turn_times", _Bucket * (len(TURN_SECONDS) + 1)),
    ]


class _Page(ctypes.Structure):
    _fields_ = [
        ("stopping", ctypes.c_int64),
        ("pool_well_at", ctypes.c_double),  # when the supervisor last found the pool in order
        ("pool_restarts", ctypes.c_uint64),
        ("handed", ctypes.c_uint64),  # tasks the pusher took out of the table
        ("handed_at", ctypes.c_double),
        ("maintenance_at", ctypes.c_double),
        ("waiting_seconds", ctypes.c_double),  # how long the oldest task has been in the table
        ("measured_at", ctypes.c_double),  # when that was so
        ("slots", _Slot * SLOTS),
    ]


NOW = ("busy", "calls_in_flight")
COUNTERS = ("errors", "model_calls", "model_errors", "prompt_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class WorkerView:
    """One pool process as the statistics page knows it."""

    pid: int
    alive: bool
    busy: int  # running tasks
    busy_since: float | None  # of the oldest of them
    changed_at: float


class WorkerStats:
    """The page, as the worker's processes see it."""

    def __init__(self) -> None:
        self.page = _Page.from_buffer(mmap.mmap(-1, ctypes.sizeof(_Page)))
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the statistics page; only its lock is used
        self._mine: _Slot | None = None
        self._begun: dict[int, float] = {}  # by thread of this process
        self._between_threads = threading.Lock()

    def close(self) -> None:
        """Close the file. The page disappears with the last process that has it."""
        self._lock.close()

    # --- a pool process

    def take_slot(self) -> None:
        """Take a slot until the process ends. The kernel releases the lock when its holder ends."""
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            self._mine = next(slot for slot in self._slots() if not slot.pid)
            self._mine.busy, self._mine.busy_since, self._mine.changed_at = 0, 0.0, time.monotonic()
            self._mine.pid = os.getpid()
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)

    def leave_slot(self) -> None:
        """Release the slot. A pool process that ends without doing so was killed."""
        if self._mine is not None and self._mine.pid == os.getpid():
            self._mine.pid = 0

    def note_taken(self) -> None:
        """Note that this process took a task over from the pusher, whether or not it can do it."""
        if self._mine is not None:
            self._mine.taken += 1

    def begin_task(self) -> None:
        """Note that a task begins. Call it in the thread that runs it."""
        with self._between_threads:
            self._begun[threading.get_ident()] = time.monotonic()
            self._note_tasks()

    def end_task(self) -> None:
        with self._between_threads:
            self._begun.pop(threading.get_ident(), None)
            self._note_tasks()

    def go_on_with_task(self) -> None:
        """Note that a task has got an answer: what counts as its time (TASK_SECONDS) begins anew."""
        with self._between_threads:
            if self._mine is not None and threading.get_ident() in self._begun:
                self._begun[threading.get_ident()] = time.monotonic()
                self._mine.busy_since = min(self._begun.values())

    def count(self, **amounts: int) -> None:
        """Add to the counters of these names."""
        with self._between_threads:
            for counter, amount in amounts.items() if self._mine is not None else ():
                setattr(self._mine, counter, getattr(self._mine, counter) + amount)

    def count_turn(self, seconds: float, trace_id: str) -> None:
        """Count an applied turn. `trace_id`: 32 hexadecimal digits, or ""."""
        with self._between_threads:
            if self._mine is None:
                return
            bucket = self._mine.turn_times[bisect_left(TURN_SECONDS, seconds)]
            bucket.turns += 1
            bucket.seconds += seconds
            if trace_id:
                bucket.trace[:] = int(trace_id[:16], 16), int(trace_id[16:], 16)
                bucket.traced_seconds, bucket.traced_at = seconds, time.time()

    def _note_tasks(self) -> None:
        if self._mine is not None:
            self._mine.busy, self._mine.changed_at = len(self._begun), time.monotonic()
            self._mine.busy_since = min(self._begun.values(), default=0.0)

    # --- the supervisor and the maintenance process

    def start_pool(self) -> None:
        """Reset the counts for a new pool. Tasks that the last one did not get to are found by the sweep."""
        for slot in self._slots():
            slot.pid = slot.busy = slot.calls_in_flight = 0
            slot.busy_since = 0.0
        self.page.handed = self.taken
        self.page.handed_at = time.monotonic()

    def workers(self) -> list[WorkerView]:
        return [
            WorkerView(
                slot.pid,
                process_start(slot.pid) is not None,
                slot.busy,
                slot.busy_since or None,
                slot.changed_at,
            )
            for slot in self._slots()
            if slot.pid
        ]

    @property
    def taken(self) -> int:
        return sum(int(slot.taken) for slot in self._slots())

    def totals(self) -> dict[str, Any]:
        """What the pool is doing now, and what it has counted since the worker started: NOW and COUNTERS.

        And for each bucket of turns' times: [turns, sum of seconds, trace ID or "", its seconds, its time].
        """
        counted: dict[str, Any] = {
            name: sum(int(getattr(slot, name)) for slot in self._slots()) for name in (*NOW, *COUNTERS)
        }
        places = range(len(TURN_SECONDS) + 1)
        return {**counted, "turn_times": [self._turn_times(place) for place in places]}

    def _turn_times(self, place: int) -> list[Any]:
        buckets = [slot.turn_times[place] for slot in self._slots()]
        newest = max(buckets, key=lambda bucket: float(bucket.traced_at))
        trace_id = f"{newest.trace[0]:016x}{newest.trace[1]:016x}" if newest.traced_at else ""
        turns, seconds = sum(bucket.turns for bucket in buckets), sum(bucket.seconds for bucket in buckets)
        return [turns, seconds, trace_id, newest.traced_seconds, newest.traced_at]

    def _slots(self) -> Iterator[_Slot]:
        return iter(self.page.slots)


_current: WorkerStats | None = None


def use(worker_stats: WorkerStats | None) -> None:
    """Set the page of this process and its forks."""
    global _current
    _current = worker_stats
    error_listeners.add(_count_error)


def _count_error() -> None:
    if _current is not None:
        _current.count(errors=1)


def stop_requested() -> bool:
    """Return whether the worker is being stopped: finish running work, begin nothing. False outside a worker."""
    return _current is not None and bool(_current.page.stopping)


def tasks_wait() -> bool:
    """Return whether the pool has tasks that none of its processes has taken. False outside a worker."""
    return _current is not None and _current.page.handed > _current.taken


def note_handed(tasks: int) -> None:
    """Note that the pusher took tasks out of the table; if negative, that it could not hand them on."""
    if _current is not None and tasks:
        _current.page.handed += tasks
        _current.page.handed_at = time.monotonic()


def count_turn(seconds: float, *, trace_id: str) -> None:
    """Count a turn that was applied `seconds` after it was accepted."""
    if _current is not None:
        _current.count_turn(seconds, trace_id)


@contextmanager
def model_call() -> Iterator[None]:
    """Count a call to a model as running during the block, whose end is a sign of life of the task."""
    if _current is None:
        yield
        return
    _current.count(calls_in_flight=1)
    try:
        yield
    finally:
        _current.count(calls_in_flight=-1)
        _current.go_on_with_task()


def count_model_call(*, prompt_tokens: int | None, output_tokens: int | None, failed: bool) -> None:
    """Count a call to a model, for the totals of /metrics."""
    if _current is not None:
        _current.count(
            model_calls=1,
            model_errors=int(failed),
            prompt_tokens=prompt_tokens or 0,
            output_tokens=output_tokens or 0,
        )
