"""What has to be done from time to time, whoever is talking: a list of duties, each failing alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from worker.heartbeat import forget_old_heartbeats

log = structlog.get_logger(__name__)

MOST_OF_THE_TIME = 0.05  # that one duty may take: a slow one comes less often


@dataclass(slots=True)
class Duty:
    """Something to do every so many seconds. `do` takes the present and says how many rows it was about."""

    name: str
    seconds: float
    do: Callable[[datetime], int]
    next_at: float = 0.0  # monotonic


def duties() -> list[Duty]:
    """The queue's own, and those that HOUSEKEEPING and DUTIES of config/registries.py name."""
    own = Duty("forget_heartbeats", 600, lambda now: forget_old_heartbeats())
    named = [
        Duty(name, seconds, import_string(path)) for name, (seconds, path) in settings.HOUSEKEEPING.items()
    ]
    return [own, *named, *(duty for path in settings.DUTIES for duty in import_string(path)())]


def do_what_is_due(
    duties: Sequence[Duty], *, now: datetime, clock: Callable[[], float] = time.monotonic
) -> int:
    """Do each duty whose time has come; how many were done. None stops another, and none takes much of the time."""
    done = 0
    for duty in duties:
        started = clock()
        if started < duty.next_at:
            continue
        done += _do(duty, now)
        duty.next_at = started + max(duty.seconds, (clock() - started) / MOST_OF_THE_TIME)
    return done


def _do(duty: Duty, now: datetime) -> int:
    try:
        rows = duty.do(now)
    except Exception as error:
        # The error's own text may quote a person.
        log.warning(
            "a duty failed; it will be tried again",
            event_name="queue.duty.failed",
            duty=duty.name,
            error_class=type(error).__name__,
        )
        return 0
    if rows:
        log.info("did a duty", event_name="queue.duty.done", duty=duty.name, rows=rows)
    return 1
