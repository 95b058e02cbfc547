"""The module that Django loads for the ENGINE setting; see the package."""

import select
import time
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from config import tracing
from config.postgresql.citus import SchemaEditor
from config.postgresql.silence import WatchedConnection

_ONE_PLAN = """
SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
 WHERE NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
"""

_BUSY_SECONDS = 30.0  # for which a thread waits for a connection that others use
_WORTH_TRACING = 0.001  # seconds: a pool with a free connection takes less


class DatabaseWrapper(base.DatabaseWrapper):
    """Checks whether a kept connection still works by its socket, without a query.

    A query before every request was a third of a request's round trips. A server that went away has closed the socket,
    which then has an end of file to read. So only a connection with something to read is checked by a query.
    """

    SchemaEditorClass = SchemaEditor

    def get_new_connection(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        """Connect like Django; from a pool, take a connection that the server has not closed meanwhile."""
        began, pool = time.time(), self.pool
        watched = pool and pool.connection_class is WatchedConnection
        connection = self._wait_for_turn(conn_params) if watched else super().get_new_connection(conn_params)
        while pool and (connection.closed or _has_something_to_read(connection.fileno())):
            connection.close()
            pool.putconn(connection)
            connection = pool.getconn()
        if time.time() - began > _WORTH_TRACING:
            tracing.past("connect", began)
        return connection

    def _wait_for_turn(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        """Take a connection from the pool. Its timeout is for a server that accepts none; while others only use all
        connections, as when many replies end at once, wait on.
        """
        ends_at = time.monotonic() + _BUSY_SECONDS
        while True:
            WatchedConnection.refuse_while_silent()
            failures = self._failures()
            try:
                connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
                return connection
            except PoolTimeout:
                if self._failures() > failures or time.monotonic() > ends_at:
                    raise

    def _failures(self) -> int:
        """How often the pool could not connect."""
        failures: int = self.pool.get_stats().get("connections_errors", 0)
        return failures

    def _commit(self) -> None:
        with tracing.span("COMMIT"):
            super()._commit()  # type: ignore[misc]  # the stubs lack it

    def _configure_connection(self, connection: "psycopg.Connection[Any]") -> bool:
        """Configure a new connection to plan prepared statements once.

        PostgreSQL may decide to plan one at each use, and planning a search takes three times as long as the search.
        One plan suits all, as each statement names its relationship. Not on Citus, where that decides on the node.
        """
        changed: bool = super()._configure_connection(connection)  # type: ignore[misc]  # the stubs lack it
        if connection.prepare_threshold is not None:
            connection.execute(_ONE_PLAN)
            changed = True
        return changed

    def is_usable(self) -> bool:
        connection: psycopg.Connection[object] | None = self.connection
        if connection is None or connection.closed:
            return False
        silent = not _has_something_to_read(connection.fileno())
        if silent and connection.pgconn.transaction_status == TransactionStatus.IDLE:
            return True
        return super().is_usable()


def _has_something_to_read(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
