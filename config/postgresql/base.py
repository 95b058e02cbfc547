"""The module that Django's ENGINE setting leads to; see the package."""

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks the socket instead of the server whether a connection of the pool is still there.

    A question to the server before every request was a third of a request's round trips. A server that went away has
    closed the socket, which then has an end to be read; so only a connection with something to read is asked further.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        while self.pool and not _lives(connection):
            connection.close()
            self.pool.putconn(connection)  # which makes another in its place
            connection = super().get_new_connection(conn_params)
        return connection


def _lives(connection: "psycopg.Connection[Any]") -> bool:
    if not _has_something_to_read(connection.fileno()):
        return True
    try:
        connection.execute("")
    except psycopg.OperationalError:
        return False
    return True


def _has_something_to_read(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
