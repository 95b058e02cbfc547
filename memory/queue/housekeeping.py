"""What has to be done from time to time, whoever is talking: a list of duties, each failing alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from memory.ingestion.triggers import fire_ended_sessions
from memory.queue.heartbeat import forget_old_heartbeats
from memory.queue.nudge import nudge
from memory.services.expiry import expire_entries
from relationships.services.idempotency import drop_old_keys
from relationships.services.rate_windows import drop_ended_windows
from relationships.services.sessions import end_idle_sessions
from relationships.services.tokens import drop_expired_tokens

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
    """The queue's own, and those that DUTIES of config/registries.py names."""
    own = [
        Duty("expire_entries", 30, expire_entries),
        Duty("end_idle_sessions", 30, end_idle_sessions),
        Duty("read_ended_sessions", 2, read_ended_sessions),
        Duty("drop_idempotency_keys", 30, drop_old_keys),
        Duty("drop_tokens", 30, drop_expired_tokens),
        Duty("drop_rate_windows", 60, drop_ended_windows),
        Duty("forget_heartbeats", 600, lambda now: forget_old_heartbeats()),
    ]
    return own + [duty for path in settings.DUTIES for duty in import_string(path)()]


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


def read_ended_sessions(now: datetime) -> int:
    """Turns that waited for their session to end fall due once it has, by call or by idle timeout."""
    with transaction.atomic():
        ended = fire_ended_sessions(now)
        for relationship_id, project_id in ended.items():
            nudge(relationship_id, project_id=project_id)
    return len(ended)


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
