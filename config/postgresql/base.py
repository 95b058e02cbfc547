"""The module that Django loads for the ENGINE setting; see the package."""

import select
import time
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from config import tracing
from config.postgresql.citus import SchemaEditor
from config.postgresql.silence import WatchedConnection

_ONE_PLAN = """
SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
 WHERE NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
"""


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
        if pool and pool.connection_class is WatchedConnection:
            WatchedConnection.refuse_while_silent()
        connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        while pool and (connection.closed or _has_something_to_read(connection.fileno())):
            connection.close()
            pool.putconn(connection)
            connection = pool.getconn()
        if time.time() - began > _WORTH_TRACING:
            tracing.past("connect", began)
        return connection

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
