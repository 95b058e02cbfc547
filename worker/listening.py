"""A database session that waits for NOTIFY, without polling. It is a session of its own, as neither a request's
connection nor one behind pgbouncer keeps its LISTEN. Behind pgbouncer without DATABASE_DIRECT_URL no notification
arrives, so listeners also query at intervals.
"""

import os
import select

import psycopg
from psycopg import sql

from config.postgresql.sessions import direct_connection


class Listener:
    """A connection that listens on one channel. For one thread, and not across a fork."""

    def __init__(self, channel: str) -> None:
        """Connect and listen: what is notified from now on is heard. Raises psycopg.Error."""
        self.connection = direct_connection()
        self._pid = os.getpid()
        self._poll = select.poll()
        self._poll.register(self.connection.fileno(), select.POLLIN)
        try:
            self.connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        except psycopg.Error:
            self.close()
            raise

    @property
    def is_mine(self) -> bool:
        """False in a fork, as its parent uses this socket."""
        return self._pid == os.getpid()

    def wait(self, seconds: float | None) -> list[str]:
        """The payloads of notifications, as soon as there are any; empty after `seconds`.

        Raises psycopg.Error when the session is lost.
        """
        heard = self._take()
        if not heard:
            self._poll.poll(None if seconds is None else seconds * 1000)
            heard = self._take()
        return heard

    def close(self) -> None:
        if self.is_mine:
            self.connection.close()

    def _take(self) -> list[str]:
        return [notify.payload for notify in self.connection.notifies(timeout=0)]
