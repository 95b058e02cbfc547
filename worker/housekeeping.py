"""Periodic tasks: each one may fail without affecting the others.

Every worker machine has the same list. One row per task says when it is due next: the machine that updates it does it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.utils.module_loading import autodiscover_modules, import_string

from config.postgresql.sessions import execute
from worker.heartbeat import forget_old_heartbeats
from worker.owed_rows import GRACE_SECONDS, OwedRows, models_owing

log = structlog.get_logger(__name__)

EARLY = 0.9
MOST_OF_THE_TIME = 0.05  # the share of time that one task may take: a slow task is run less often


# Also if it is due later than any machine would set it now: then a clock was ahead.
_TAKE = """
INSERT INTO worker_periodicrun AS run (name, next_at)
SELECT name, now() + make_interval(secs => seconds)
  FROM unnest(%(names)s::text[], %(seconds)s::float8[]) AS due (name, seconds)
ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at
 WHERE run.next_at <= now() OR run.next_at > excluded.next_at + interval '1 minute'
RETURNING name
"""


@dataclass(slots=True)
class PeriodicTask:
    """A task to run every `seconds`. `do` takes the current time and returns how many rows it changed."""

    name: str
    seconds: float
    do: Callable[[datetime], int]
    next_at: float = 0.0  # monotonic


def periodic_tasks() -> list[PeriodicTask]:
    """The queue's own, and those that HOUSEKEEPING of config/registries.py names."""
    own = PeriodicTask("forget_heartbeats", 600, lambda now: forget_old_heartbeats())
    named = ((name, each, import_string(path)) for name, (each, path) in settings.HOUSEKEEPING.items())
    return [
        own,
        *(PeriodicTask(name, each, do().step if isinstance(do, type) else do) for name, each, do in named),
    ]


def load_tasks() -> None:
    """Import what the queue's tasks run, for a process that is about to fork those that run them.

    Otherwise each would import it before its first task. On a busy machine that takes so long that the watchdog would
    kill it, and then its successor.
    """
    autodiscover_modules("tasks")
    for periodic in periodic_tasks():
        if isinstance(periodic.do, OwedRows):
            import_string(periodic.do.task)


def do_what_is_due(
    tasks: Sequence[PeriodicTask], *, now: datetime, clock: Callable[[], float] = time.monotonic
) -> int:
    """Do each periodic task that is due, if no other machine does it. Returns how many.

    No task keeps others from running, and none takes much of the time.
    """
    due = {task.name: task for task in tasks if clock() >= task.next_at}
    mine = _take(due) if due else set()
    idle = _idle([due[name] for name in mine], now)
    for name, task in due.items():
        started = clock()
        done = name in mine - idle and _do(task, now)
        task.next_at = started + max(task.seconds, (clock() - started) / MOST_OF_THE_TIME if done else 0.0)
    return len(mine)


def _take(due: Mapping[str, PeriodicTask]) -> set[str]:
    """Claim due tasks for this machine; return the names of those it got."""
    # A little early, so that one machine's own round is never too soon for its own row.
    until: dict[str, Any] = {"names": list(due), "seconds": [EARLY * task.seconds for task in due.values()]}
    return {name for (name,) in execute(_TAKE, until)}


def _idle(tasks: Sequence[PeriodicTask], now: datetime) -> set[str]:
    """The names of those for rows that owe nothing."""
    models = {task.name: task.do.model for task in tasks if isinstance(task.do, OwedRows)}
    try:
        owing = models_owing(models.values(), now, grace=GRACE_SECONDS)
    except DatabaseError:
        return set()  # each task will find out by itself, and fail alone
    return {name for name, model in models.items() if model not in owing}


def _do(task: PeriodicTask, now: datetime) -> bool:
    try:
        rows = task.do(now)
    except Exception as error:
        # The error's own text may quote a person.
        log.warning(
            "a periodic task failed; it will be tried again",
            event_name="queue.periodic_task.failed",
            periodic_task=task.name,
            exc_info=error,
        )
        return True
    if rows:
        log.info(
            "did a periodic task",
            event_name="queue.periodic_task.done",
            periodic_task=task.name,
            rows=rows,
        )
    return True
