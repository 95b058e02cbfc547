"""django-q2's broker on our own database: a task is a row to claim, and a NOTIFY that wakes a worker.

Tasks are inserted on the caller's connection, so they commit or roll back with the caller's transaction. A claim
deletes the row: a task is only a hint, and the turn's row says what is due. So the queue does not hand out a task
again that died with its worker; the sweep finds the turn within seconds
(docs/adr/0003-the-row-is-the-queue.md).
"""

import time
from typing import Any
from uuid import UUID

import psycopg
import structlog
from django.db import connections
from django_q.brokers import Broker
from django_q.conf import Conf

from worker import worker_stats
from worker.fairness import CLAIM, ENQUEUE, NOBODY
from worker.listening import Listener

log = structlog.get_logger(__name__)

_ALIAS = "default"
_SLICE_SECONDS = 0.5  # how soon the pusher, which waits in here, notices that it is to stop
_BACKOFF_SECONDS, _LONGEST_BACKOFF_SECONDS = 0.1, 1.0


class NotifyBroker(Broker):  # type: ignore[misc]  # django-q2 has no types
    """Claims with SKIP LOCKED, is woken by LISTEN, and waits for a database that is away instead of failing.

    A claim deletes the row, so there is nothing to acknowledge or to unlock.
    """

    def __init__(self, list_key: str | None = None, *, project_id: UUID = NOBODY) -> None:
        """`project_id`: the project of the tasks that are enqueued through this broker."""
        super().__init__(list_key)
        self._project_id = project_id
        self._start_over()

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        self._project_id = NOBODY
        self._start_over()

    @property
    def channel(self) -> str:
        """The channel of this queue's NOTIFY. PostgreSQL separates the channels of different databases."""
        return f"rapport_queue_{self.list_key}"[:63]

    def enqueue(self, task: str) -> int:
        """Insert on the caller's connection. The queue row's ID.

        Planned each time, as a plan for any project looks through all tasks of the one that floods the queue.
        """
        told = {
            "key": self.list_key,
            "payload": task,
            "project": self._project_id,
            "channel": self.channel,
        }
        with connections[_ALIAS].cursor() as cursor:
            cursor.execute(ENQUEUE, told)
            row_id: int = cursor.fetchone()[0]
        return row_id

    def dequeue(self) -> list[tuple[int, str]] | None:
        """Claim the tasks that are there, or wait up to half a second for one. Never raises for a database that is
        away: django-q2's pusher would sleep for ten seconds and then end.
        """
        try:
            rows = self._claim() if self._owes_a_look() else []
            if not rows and self._listen().wait(_SLICE_SECONDS):
                self._look_at = 0.0
                rows = self._claim()
        except psycopg.Error as error:
            self._stand_back(error)
            return None
        self._outage = 0
        worker_stats.note_handed(len(rows))
        return rows or None

    def fail(self, task_id: int) -> None:
        """django-q2's pusher calls this for a task that it can't read, as it was signed with another secret key."""
        worker_stats.note_handed(-1)

    def ping(self) -> bool:
        """True without a query, as the cluster starts even without the database, and waits for it."""
        return True

    def set_stat(self, key: str, value: str, timeout: int) -> None:
        """The cluster's guard calls this twice a second; nobody reads it."""

    def close(self) -> None:
        """Give the listening session back, if this process has one."""
        if self._listener is not None:
            self._listener.close()
        self._start_over()

    def _start_over(self) -> None:
        self._listener: Listener | None = None
        self._look_at = 0.0  # monotonic seconds; a look without a NOTIFY is only the safety net
        self._outage = 0  # how often in a row the database was not there

    def _owes_a_look(self) -> bool:
        return self._listener is None or time.monotonic() >= self._look_at

    def _listen(self) -> Listener:
        if self._listener is None or not self._listener.is_mine:
            self._listener = Listener(self.channel)
        return self._listener

    def _claim(self) -> list[tuple[int, str]]:
        # On the listening session, which listens before it queries: so no row is missed in between.
        rows = self._listen().connection.execute(CLAIM, [self.list_key, Conf.BULK], prepare=True).fetchall()
        if not rows:
            self._look_at = time.monotonic() + Conf.POLL
        return [(row_id, payload) for _, row_id, payload in sorted(rows)]

    def _stand_back(self, error: psycopg.Error) -> None:
        attempt = self._outage
        if not attempt:
            log.warning(
                "the queue's database can't be reached; waiting for it",
                event_name="queue.database.away",
                exc_info=error,
            )
        self.close()
        self._outage = attempt + 1
        time.sleep(min(_LONGEST_BACKOFF_SECONDS, _BACKOFF_SECONDS * 2 ** min(attempt, 10)))
