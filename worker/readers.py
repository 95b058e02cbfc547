"""The tasks of the queue, and the threads that run them: each runs one task at a time, and mostly waits for models.

A process of the pool takes a task only if one of its readers is free. The rows say what there is to do, so a task may
be lost, repeated or late.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from uuid import UUID

import structlog
from django.db import connections

from config import tracing
from config.postgresql.sessions import database_went_away
from worker.silence import calls_in_flight
from worker.worker_stats import WorkerStats, stop_requested

log = structlog.get_logger(__name__)

LOOK_SECONDS = 1.0  # how often a process with busy readers looks whether their models are silent

_readers: "Readers | None" = None


class Readers:
    """The readers of this process. They note in `stats` what they do."""

    def __init__(self, count: int, stats: WorkerStats) -> None:
        self._count, self._stats = count, stats
        self._running = 0
        self._changed = threading.Condition()
        self._most_replaced = count // 4
        self._threads = ThreadPoolExecutor(count + self._most_replaced, thread_name_prefix="reader")

    def run(self, work: Callable[[], None]) -> None:
        """Run `work` in a reader. Return as soon as another is free: until then this process must take no task, which
        would wait although another process may have free readers.
        """
        with self._changed:
            self._running += 1
            self._threads.submit(self._do, work)
            while not self._has_free():
                self._changed.wait(LOOK_SECONDS)

    def close(self) -> None:
        """Wait for running tasks. From now on tasks run in the thread that calls them."""
        global _readers
        _readers = None
        self._threads.shutdown()
        calls_in_flight.readers = 0

    def _do(self, work: Callable[[], None]) -> None:
        self._stats.begin_task()
        try:
            work()
        finally:
            connections.close_all()
            self._stats.end_task()
            with self._changed:
                self._running -= 1
                self._changed.notify()

    def _has_free(self) -> bool:
        """Return whether a reader is free, or another may come in for one whose model is silent."""
        if self._running < self._count:
            return True
        return self._running < self._count + min(calls_in_flight.silent(), self._most_replaced)


def start_readers(count: int, stats: WorkerStats) -> Readers:
    """Run the tasks of this process in `count` threads; without this, each runs in the thread that calls it."""
    global _readers
    _readers, calls_in_flight.readers = Readers(count, stats), count
    return _readers


def task(do: Callable[..., None]) -> Callable[..., None]:
    """Make a task from a function of IDs, which the queue passes as texts.

    It never fails, so that django-q2 stores nothing about it. A worker that is being stopped begins none. It is a span
    in the trace in which it was enqueued.
    """
    name = f"{do.__module__}.{do.__name__}"

    def attempt(*ids: str, traceparent: str | None = None) -> None:
        if stop_requested():
            return
        try:
            with tracing.received(name, [traceparent], since=None, attributes={"rapport.ids": ids}):
                do(*map(UUID, ids))
        except Exception as error:
            if database_went_away(error):
                log.warning(
                    "a task lost the database; its work stays due",
                    event_name="queue.task.cut_off",
                    task=name,
                    ids=ids,
                    exc_info=error.__cause__ or error,  # such as PoolTimeout
                )
            else:
                log.error(
                    "a task crashed", event_name="queue.task.crashed", task=name, ids=ids, exc_info=error
                )
            connections.close_all()

    @wraps(do)
    def run(*ids: str, **trace: str) -> None:
        if _readers is None:
            attempt(*ids, **trace)
        else:
            _readers.run(partial(attempt, *ids, **trace))

    return run
