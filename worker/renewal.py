"""Holds on to a lease while work goes on, however long a model takes over its answer."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

log = structlog.get_logger(__name__)

RENEWALS = 3  # within a lease: two may fail


@contextmanager
def renewing(renew: Callable[[], bool]) -> Iterator[None]:
    """While the block runs, a thread calls `renew` from time to time; once it says False the lease is lost.

    Nothing is told to the block then: before it writes it looks for its lease anyway. The thread has a connection
    of its own, from the first renewal on.
    """
    done = threading.Event()
    thread = threading.Thread(target=_renew_until, args=(done, renew), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew_until(done: threading.Event, renew: Callable[[], bool]) -> None:
    try:
        while not done.wait(settings.LEASE_SECONDS / RENEWALS):
            if not _renewed(renew):
                return
    finally:
        connection.close()


def _renewed(renew: Callable[[], bool]) -> bool:
    """True also where the database is away: the next renewal may come in time."""
    try:
        return renew()
    except DatabaseError as error:
        log.warning(
            "a lease could not be renewed; trying again",
            event_name="queue.lease.not_renewed",
            error_class=type(error).__name__,
        )
        connection.close()
        return True
