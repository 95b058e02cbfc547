"""The housekeeping of large relationships: to find them, and to make what they want in a thread of its own."""

import threading
from datetime import datetime

import structlog
from django.db import connection
from django.utils import timezone

from memory.queue.housekeeping import Duty
from memory.retrieval.large.find import Walk
from memory.retrieval.large.upkeep import is_owed, keep_up

log = structlog.get_logger(__name__)

_FIND_SECONDS, _MAKE_SECONDS = 10, 5
_SWEEP_SECONDS = 600  # without anything owed: what was erased leaves an index to be dropped


class Builder:
    """An index takes minutes, and other duties must not wait: one thread at a time, which ends with the process."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._swept_at: datetime | None = None

    def look(self, now: datetime) -> int:
        """Start a round unless one is going on or nothing is owed. How many were started."""
        if self._thread is not None and self._thread.is_alive():
            return 0
        if not (is_owed(now) or self._owes_a_sweep(now)):
            return 0
        self._swept_at = now
        self._thread = threading.Thread(target=_round, name="indexes", daemon=True)
        self._thread.start()
        return 0

    def wait(self, seconds: float) -> None:
        """Until the round is over."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _owes_a_sweep(self, now: datetime) -> bool:
        return self._swept_at is None or (now - self._swept_at).total_seconds() >= _SWEEP_SECONDS


def large_duties() -> list[Duty]:
    return [
        Duty("find_large_relationships", _FIND_SECONDS, Walk().step),
        Duty("make_large_indexes", _MAKE_SECONDS, Builder().look),
    ]


def _round() -> None:
    try:
        keep_up(timezone.now())
    except Exception as error:
        log.warning(
            "the upkeep of indexes stopped; it will be taken up again",
            event_name="retrieval.upkeep.stopped",
            error_class=type(error).__name__,
        )
    finally:
        connection.close()
