"""Leases of queued rows, and how a row becomes due again when its holder is gone.

A row is due again when its lease runs out, and at once when its holder is known to be dead: the process is gone from
this machine, or the heartbeat of its machine stopped. A holder that was only slow finds its lease token gone and may
not write. Long work renews its lease meanwhile (`renewing`, or `keeping` for one row), and what failed is tried again
after `retry_delay`.
"""

import os
import random
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.utils import timezone

from config.postgresql.sessions import database_went_away, execute
from worker.enqueue import enqueue_task
from worker.fairness import gives_way
from worker.heartbeat import silent_machines
from worker.identity import is_dead, machine_of
from worker.lost_nodes import answering
from worker.models import QueuedQuerySet, QueuedRow
from worker.worker_stats import stop_requested

log = structlog.get_logger(__name__)

RENEWALS = 3  # within a lease: two may fail
LOCK_TIMEOUT = "2s"  # of a renewal
_HAND_BACK_SECONDS, _PAUSE_SECONDS = 60.0, 0.5
GIVEN_UP = "Given up: it ended its workers."


def take_back_dead(rows: QueuedQuerySet, now: datetime, **values: Any) -> list[Any]:
    """Make the rows due again whose holder is gone, and count a failed attempt. `values`: see take_back."""
    rows = answering(rows)
    holders = list(rows.held().order_by().values_list("leased_by", flat=True).distinct())
    if not holders:
        return []
    silent = silent_machines(settings.HEARTBEAT_LIMIT_SECONDS)
    return rows.take_back(holders=[name for name in holders if _is_gone(name, silent)], now=now, **values)


def one_by_one(rows: QueuedQuerySet, *, worker: str, task: str, do: Callable[[Any], bool]) -> int:
    """Do the due rows of a relationship one after the other, until `do` returns False. Returns how many were done.

    If others wait, its time is over or the worker is being stopped, the rest is left to another `task`.
    """
    done, began = 0, monotonic()
    while row := rows.claim_one(worker=worker):
        with keeping(row):
            if not do(row):
                break
        done += 1
        if stop_requested() or gives_way(began):
            with transaction.atomic():
                enqueue_task(task, row.relationship_id, project_id=row.project_id)
            break
    return done


@contextmanager
def keeping(row: QueuedRow) -> Iterator[None]:
    """Renew the lease of `row` while the block runs. If the block fails because the database is away, the row is due
    again soon after it is back, with a failed attempt counted: no one else would notice, as this process lives on.
    """
    try:
        with renewing(row.keep_lease):
            yield
    except Exception as error:
        if database_went_away(error):
            delay = timedelta(seconds=retry_delay(row.attempts, None))
            release_when_possible(lambda: row.held_row().release(due_at=timezone.now() + delay, counted=True))
        raise


def release_when_possible(release: Callable[[], object]) -> None:
    """Release a lease, and wait a while for a database that is away; after that the lease runs out by itself."""
    until = monotonic() + _HAND_BACK_SECONDS
    while True:
        try:
            if not connection.in_atomic_block:
                connection.close()
            release()
        except DatabaseError:
            if monotonic() > until:
                return
            sleep(_PAUSE_SECONDS)
        else:
            return


@contextmanager
def renewing(renew: Callable[[], bool]) -> Iterator[None]:
    """Call `renew` at intervals while the block runs; when it returns False the lease is lost.

    The block is not interrupted then: it checks its lease before it writes anyway. One thread of the process renews all
    of its leases, and has a connection only while it does so.
    """
    lease = object()
    _renewals.add(lease, renew)
    try:
        yield
    finally:
        _renewals.remove(lease)


def retry_delay(attempts: int, retry_after: float | None) -> float:
    """Seconds until the next attempt: exponential, with jitter of up to a half, never before the provider allows."""
    ceiling = min(settings.RETRY_CAP_SECONDS, settings.RETRY_BASE_SECONDS * 2 ** min(attempts, 30))
    jittered: float = ceiling * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries, guards nothing
    asked_for: float = min(retry_after or 0.0, settings.RETRY_CAP_SECONDS)
    return max(jittered, asked_for)


class _Renewals:
    """The leases of a process, and the thread that renews them. It ends when there were none for a while.

    Most leases end before their first renewal: for those nobody is woken.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: dict[object, tuple[float, Callable[[], bool]]] = {}  # by lease: when, in monotonic seconds
        self._renewed: object = None  # the one that is being renewed now
        self._looks_at = 0.0  # when the thread wakes by itself
        self._thread: threading.Thread | None = None

    def add(self, lease: object, renew: Callable[[], bool]) -> None:
        due = monotonic() + settings.LEASE_SECONDS / RENEWALS
        with self._changed:
            self._due[lease] = (due, renew)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()
            elif due < self._looks_at:
                self._changed.notify_all()

    def remove(self, lease: object) -> None:
        """Remove a lease. It is not renewed any more after this returns."""
        with self._changed:
            self._due.pop(lease, None)
            self._changed.wait_for(lambda: self._renewed is not lease)

    def _run(self) -> None:
        while (next_one := self._wait()) is not None:
            lease, renew = next_one
            again = _renewed(renew)
            with self._changed:
                if again and lease in self._due:
                    self._due[lease] = (monotonic() + settings.LEASE_SECONDS / RENEWALS, renew)
                else:
                    self._due.pop(lease, None)
                self._renewed = None
                self._changed.notify_all()

    def _wait(self) -> tuple[object, Callable[[], bool]] | None:
        """Wait for the next lease to renew; None if there were none twice in a row."""
        idle = False
        with self._changed:
            while self._due or not idle:
                idle = not self._due
                self._looks_at = monotonic() + settings.LEASE_SECONDS / RENEWALS / 2
                if self._due:
                    lease, (due, renew) = min(self._due.items(), key=lambda item: item[1][0])
                    if due <= monotonic():
                        self._renewed = lease
                        return lease, renew
                    self._looks_at = min(self._looks_at, due)
                self._changed.wait(self._looks_at - monotonic())
            self._thread = None
            return None


def _renewed(renew: Callable[[], bool]) -> bool:
    """Renew a lease. True also if the database is down or the row is locked, as the next renewal may be in time.

    No lease waits long for a locked row, and after any error the thread goes on with the other leases.
    """
    try:
        with transaction.atomic():
            execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
            return renew()
    except Exception as error:
        log.warning(
            "a lease could not be renewed; trying again", event_name="queue.lease.not_renewed", exc_info=error
        )
        return True
    finally:
        connection.close()


_renewals = _Renewals()


def _start_over() -> None:
    global _renewals
    _renewals = _Renewals()


os.register_at_fork(after_in_child=_start_over)  # a fork doesn't copy the thread


def _is_gone(holder: str, silent: Collection[str]) -> bool:
    """Return whether the holder is dead: checked directly on this machine, by silence on another one."""
    known = is_dead(holder)
    return machine_of(holder) in silent if known is None else known


def error_place(error: BaseException) -> str:
    """The error's type and where it was raised; not its text, which may quote a person."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
