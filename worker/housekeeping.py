"""What has to be done from time to time, whoever is talking: a list of periodic tasks, each failing alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from worker.heartbeat import forget_old_heartbeats

log = structlog.get_logger(__name__)

MOST_OF_THE_TIME = 0.05  # that one task may take: a slow one comes less often


@dataclass(slots=True)
class PeriodicTask:
    """Something to do every so many seconds. `do` takes the present and says how many rows it was about."""

    name: str
    seconds: float
    do: Callable[[datetime], int]
    next_at: float = 0.0  # monotonic


def periodic_tasks() -> list[PeriodicTask]:
    """The queue's own, and those that HOUSEKEEPING and PERIODIC_TASKS of config/registries.py name."""
    own = PeriodicTask("forget_heartbeats", 600, lambda now: forget_old_heartbeats())
    named = [
        PeriodicTask(name, seconds, import_string(path))
        for name, (seconds, path) in settings.HOUSEKEEPING.items()
    ]
    return [
        own,
        *named,
        *(task for path in settings.PERIODIC_TASKS for task in import_string(path)()),
    ]


def do_what_is_due(
    tasks: Sequence[PeriodicTask], *, now: datetime, clock: Callable[[], float] = time.monotonic
) -> int:
    """Do each periodic task whose time has come, and say how many were done.

    None stops another, and none takes much of the time.
    """
    done = 0
    for task in tasks:
        started = clock()
        if started < task.next_at:
            continue
        done += _do(task, now)
        task.next_at = started + max(task.seconds, (clock() - started) / MOST_OF_THE_TIME)
    return done


def _do(task: PeriodicTask, now: datetime) -> int:
    try:
        rows = task.do(now)
    except Exception as error:
        # The error's own text may quote a person.
        log.warning(
            "a periodic task failed; it will be tried again",
            event_name="queue.periodic_task.failed",
            periodic_task=task.name,
            error_class=type(error).__name__,
        )
        return 0
    if rows:
        log.info(
            "did a periodic task",
            event_name="queue.periodic_task.done",
            periodic_task=task.name,
            rows=rows,
        )
    return 1
