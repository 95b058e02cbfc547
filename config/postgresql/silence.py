"""Connections with timeouts for requests, so that a server that hangs doesn't keep anybody waiting for ever.

A server that hangs as a whole, with its machine or its disk, closes no socket, and its system still acknowledges what
it is sent. So only a clock notices.
"""

from collections.abc import Generator
from contextlib import closing
from threading import Lock
from time import monotonic
from typing import Any, ClassVar

import psycopg
from psycopg.errors import ConnectionTimeout
from psycopg.errors import _WaitTimeout as WaitTimeout  # what Connection.wait raises; it has no public name
from psycopg.waiting import Ready

CONNECT_SECONDS = 3  # of a web process, which should say soon that the database is unreachable
_RETRY_SECONDS = 1.0
PATIENCE_SECONDS = 2  # for any answer of a replica, after which the primary is read instead


class PatientConnection(psycopg.Connection[Any]):
    """Raises psycopg.OperationalError if no answer comes in time; the connection is useless then."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        return super().wait(gen, interval, PATIENCE_SECONDS if timeout is None else timeout)


class WatchedConnection(psycopg.Connection[Any]):
    """Raises psycopg.OperationalError if the server is silent, and silent on a second connection, too.

    So a long statement may take its time, as the server answers beside it. While a process knows that the server
    hangs, its other requests fail at once; only now and then one checks whether it is back.
    """

    silent_seconds: ClassVar[float] = 5.0
    _lock: ClassVar[Lock] = Lock()
    _ask_again_at: ClassVar[float | None] = None  # monotonic; None: the server answers

    @classmethod
    def refuse_while_silent(cls) -> None:
        """Raises psycopg.OperationalError while the server is known to hang."""
        if cls._ask_again_at is None:
            return
        with cls._lock:
            now = monotonic()
            if cls._ask_again_at is not None and now < cls._ask_again_at:
                raise psycopg.OperationalError("The server did not answer a moment ago.")
            WatchedConnection._ask_again_at = now + CONNECT_SECONDS

    @classmethod
    def connect(cls, *given: Any, **named: Any) -> Any:
        try:
            connection = super().connect(*given, **named)
        except ConnectionTimeout:
            cls._hangs()
            raise
        WatchedConnection._ask_again_at = None
        return connection

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            answer = super().wait(gen, interval, self.silent_seconds if timeout is None else timeout)
        except WaitTimeout:
            if timeout is not None:
                raise
            answer = super().wait(self._watched(gen), interval)
        if WatchedConnection._ask_again_at is not None:
            WatchedConnection._ask_again_at = None
        return answer

    def _watched(self, gen: Any) -> Generator[Any, Any, Any]:
        """Continue `gen`, which has been silent for `silent_seconds`; after each such time ask the server beside it."""
        heard_at, ready = monotonic() - self.silent_seconds, Ready.NONE
        while True:
            try:
                wanted = gen.send(ready)
            except StopIteration as end:
                return end.value
            if monotonic() - heard_at > self.silent_seconds:
                self._require_answer()
                heard_at = monotonic()
            ready = yield wanted
            if ready & Ready.R:
                heard_at = monotonic()

    def _require_answer(self) -> None:
        told: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "prepare_threshold": None}
        try:
            # closed, no more: its own `with` would tell the log that a silent server takes no ROLLBACK
            with closing(
                PatientConnection.connect(self.info.dsn, password=self.info.password, **told)
            ) as beside:
                beside.execute("SELECT 1")
        except (ConnectionTimeout, WaitTimeout) as error:
            self._hangs()
            self.pgconn.finish()
            raise psycopg.OperationalError("The server does not answer any more.") from error
        except psycopg.Error:
            return  # it answers, even if it refuses another connection; if it is dead, this connection ends by itself

    @classmethod
    def _hangs(cls) -> None:
        WatchedConnection._ask_again_at = monotonic() + _RETRY_SECONDS
