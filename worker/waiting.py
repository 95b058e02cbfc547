"""Waiting for a turn to be settled, without polling.

The transaction that settles a turn sends a NOTIFY. One thread per process listens, and wakes those who wait for that
turn. A waiter takes its place before it looks at the turn, so that it can't miss the notification:

    with waiting_place(turn_id) as place:
        if place is not None and not settled(turn_id):
            place.wait(3)
"""

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from time import sleep
from uuid import UUID

import psycopg
import structlog
from django.conf import settings
from django.db import connection

from config.postgresql.sessions import execute, release_connection
from worker.listening import Listener

log = structlog.get_logger(__name__)

CHANNEL = "rapport_settled"
TELL_SETTLED = "pg_notify(%(channel)s, id::text)"  # for rows that another room's statement settles
_LISTENING_SECONDS = 2.0  # how long a first waiter lets the listener connect
_BACKOFF_SECONDS, _LONGEST_BACKOFF_SECONDS = 0.2, 5.0


def announce_settled(turn_ids: Iterable[UUID]) -> None:
    """Wake those who wait for these turns, once the current transaction commits. One statement."""
    execute("SELECT pg_notify(%s, id) FROM unnest(%s::text[]) id", [CHANNEL, [str(i) for i in turn_ids]])


class Place:
    """The place of one waiter."""

    def __init__(self) -> None:
        self._woken = threading.Event()

    def wait(self, seconds: float) -> bool:
        """Wait. True as soon as the turn is settled, or if the listener lost its session and may have missed it, so
        that the turn must be read. False after `seconds`.
        """
        release_connection()
        woken = self._woken.wait(seconds)
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()  # without a pool it may have been lost meanwhile
        return woken

    def rest(self) -> None:
        """Reset it, to wait for a further event. Look at the rows after this call, not before."""
        self._woken.clear()

    def wake(self) -> None:
        self._woken.set()


class _Room:
    """The places of one process, and the thread that listens for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, list[Place]] = {}
        self._taken = 0
        self._thread: threading.Thread | None = None
        self._listening = threading.Event()

    def enter(self, turn: str, *, counted: bool) -> Place | None:
        with self._lock:
            if counted and self._taken >= settings.MAX_WAITERS:
                return None
            self._taken += counted
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="settled", daemon=True)
                self._thread.start()
        self._listening.wait(_LISTENING_SECONDS)
        place = Place()
        with self._lock:
            self._places.setdefault(turn, []).append(place)
        return place

    def leave(self, turn: str, place: Place, *, counted: bool) -> None:
        with self._lock:
            self._taken -= counted
            here = self._places[turn]
            here.remove(place)
            if not here:
                del self._places[turn]

    def _listen(self) -> None:
        attempt = 0
        while self is _room:  # not replaced by another
            try:
                with closing(Listener(CHANNEL)) as listener:
                    attempt = 0
                    self._wake_all()  # they may have missed what they wait for
                    self._listening.set()
                    self._hear(listener)
            except (psycopg.Error, OSError) as error:
                if not attempt:
                    log.warning(
                        "can't listen for settled turns; trying again",
                        event_name="waiting.listener.lost",
                        exc_info=error,
                    )
                attempt += 1
                sleep(min(_LONGEST_BACKOFF_SECONDS, _BACKOFF_SECONDS * 2 ** min(attempt, 10)))
            finally:
                self._listening.clear()

    def _hear(self, listener: Listener) -> None:
        while self is _room:
            for turn in listener.wait(None):
                with self._lock:
                    for place in self._places.get(turn, ()):
                        place.wake()

    def _wake_all(self) -> None:
        with self._lock:
            for places in self._places.values():
                for place in places:
                    place.wake()


_room = _Room()


def _new_room() -> None:
    global _room
    _room = _Room()


os.register_at_fork(after_in_child=_new_room)  # a fork has neither the thread nor its connection


@contextmanager
def waiting_place(turn_id: UUID, *, counted: bool = True) -> Iterator[Place | None]:
    """A place to wait for that turn; None if MAX_WAITERS are waiting already: then answer at once.

    `counted` False: for a stream, which has a thread of its own (RAPPORT_MAX_STREAMS).
    """
    room, turn = _room, str(turn_id)
    place = room.enter(turn, counted=counted)
    try:
        yield place
    finally:
        if place is not None:
            room.leave(turn, place, counted=counted)
