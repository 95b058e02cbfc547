"""Prepared statements for the few hot reads. The ORM binds on the client's side, and never prepares.

They are used where the connection's `prepare_threshold` is set (settings.DATABASES), and are plain statements
with server-side binding where it is not, as behind a pooler that hands its connections round.
"""

from typing import Any

import psycopg
from django.db import connections
from django.db.backends.utils import CursorWrapper
from django.db.utils import DEFAULT_DB_ALIAS


class PreparedCursor(psycopg.Cursor[Any]):
    """Prepares every statement at its first use on a connection."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = True, binary: bool | None = None
    ) -> "PreparedCursor":
        return super().execute(query, params, prepare=prepare, binary=binary)


def prepared_cursor() -> CursorWrapper:
    """A cursor on Django's own connection, in its transaction if there is one, seen by its query log.

    JSON columns come as text, as everywhere on Django's connection.
    """
    # Once: each look through `connection` finds the thread's own anew.
    database = connections[DEFAULT_DB_ALIAS]
    database.close_if_health_check_failed()
    database.ensure_connection()
    # The stubs ask for a wrapper here; Django itself hands over the driver's cursor, as we do.
    cursor: Any = PreparedCursor(database.connection)
    return database.make_debug_cursor(cursor) if database.queries_logged else database.make_cursor(cursor)
