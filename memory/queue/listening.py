"""One database session that waits for NOTIFY. It sleeps in the kernel: no query, no wake-up, until something
happens. A session of its own, as neither a request's connection nor one behind pgbouncer keeps its LISTEN.
"""

import os
import select
from typing import Any, Self

import psycopg
from django.db import connections
from psycopg import sql

# Django's own options, which libpq does not know.
_NOT_FOR_LIBPQ = ("cursor_factory", "context", "prepare_threshold")
_CONNECT_SECONDS = 5


class Listener:
    """A connection that listens on one channel. For one thread, and not across a fork; `wake` is for any."""

    def __init__(self, channel: str) -> None:
        """Connect and listen: what is notified from now on is heard. Raises psycopg.Error."""
        parameters: dict[str, Any] = connections["default"].get_connection_params()
        for name in _NOT_FOR_LIBPQ:
            parameters.pop(name, None)
        parameters.setdefault("connect_timeout", _CONNECT_SECONDS)
        self.connection = psycopg.connect(autocommit=True, **parameters)
        self._pid = os.getpid()
        self._woken, self._wake = os.pipe()
        self._poll = select.poll()
        for file in (self.connection.fileno(), self._woken):
            self._poll.register(file, select.POLLIN)
        try:
            self.connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        except psycopg.Error:
            self.close()
            raise

    @property
    def is_mine(self) -> bool:
        """False in a fork: its parent speaks on this socket."""
        return self._pid == os.getpid()

    def wait(self, seconds: float | None) -> list[str]:
        """What was notified, as soon as there is something; empty after so many seconds, or when woken.

        Raises psycopg.Error when the session is lost.
        """
        heard = self._take()
        if not heard:
            self._poll.poll(None if seconds is None else seconds * 1000)
            heard = self._take()
        return heard

    def wake(self) -> None:
        """Have a `wait` in another thread return."""
        os.write(self._wake, b"!")

    def close(self) -> None:
        if self.is_mine:
            self.connection.close()
            os.close(self._woken)
            os.close(self._wake)
            self._pid = 0  # once is enough

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self) -> list[str]:
        return [notify.payload for notify in self.connection.notifies(timeout=0)]
