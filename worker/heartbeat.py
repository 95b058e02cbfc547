"""The heartbeat of a worker machine, one row each. Times are the database's, so that clocks need not agree."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now
from django.utils import timezone
from django.utils.crypto import salted_hmac

from config.postgresql.sessions import execute
from worker.identity import machine_of
from worker.models import WorkerHeartbeat

# Long enough for an operator to notice that a machine is missing.
_KEPT = timedelta(hours=1)

_BEAT = """
INSERT INTO relationships_workerheartbeat (name, started_at, beat_at, pool_restarts, counters)
VALUES (%(name)s, now(), now(), %(restarts)s,
        %(counters)s::jsonb || jsonb_build_object('clock_ahead', extract(epoch FROM %(here)s - now())))
ON CONFLICT (name) DO UPDATE SET beat_at = now(), pool_restarts = %(restarts)s, counters = excluded.counters
"""
_SILENT = """
SELECT name, beat_at < now() - make_interval(secs => %s) FROM relationships_workerheartbeat
"""


def beat(*, name: str, pool_restarts: int, counters: Mapping[str, Any]) -> None:
    """Record that the worker `name` is alive with a working pool, and what it has counted so far. With it goes
    how many seconds its clock is ahead of the database's, and which secret key it has.
    """
    known = {**counters, "secret": secret_in_use()}
    told = {"name": name, "restarts": pool_restarts, "counters": json.dumps(known)}
    execute(_BEAT, {**told, "here": timezone.now()})


def secret_in_use() -> str:
    """Some hexadecimal digits by which processes find out whether they have one secret key, which signs the tasks."""
    return salted_hmac("rapport.heartbeat", "", algorithm="sha256").hexdigest()[:8]


def stop_beating(*, name: str) -> None:
    """The worker has ended regularly: delete its row."""
    WorkerHeartbeat.objects.filter(name=name).delete()


def silent_machines(limit: float) -> set[str]:
    """Machines that had a worker which said nothing for `limit` seconds and have no other that lives.

    A machine that is unknown here is not silent: it may be a command or a worker that has just ended in good
    order.
    """
    beats = _beats(limit)
    return {machine for machine, silent in beats if silent} - {
        machine for machine, silent in beats if not silent
    }


def has_living_worker(machine: str, *, limit: float) -> bool:
    """Return whether a worker on that machine, or in that container, had a heartbeat within `limit` seconds."""
    return (machine, False) in _beats(limit)


def _beats(limit: float) -> list[tuple[str, bool]]:
    """Each worker's machine, and whether it was silent for `limit` seconds."""
    return [(machine_of(name), silent) for name, silent in execute(_SILENT, [limit])]


def forget_old_heartbeats() -> int:
    """Drop the rows of workers that were killed long ago. How many it was."""
    return WorkerHeartbeat.objects.filter(beat_at__lt=Now() - _KEPT).delete()[0]
