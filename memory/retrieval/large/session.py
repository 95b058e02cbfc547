"""The database session that makes and drops indexes: one at a time, whatever the number of machines.

It is a connection of its own, since CREATE INDEX CONCURRENTLY takes minutes and knows no transaction. Its name in
`pg_stat_activity` is the claim: it ends with its process, however that ends.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from relationships.database import direct_connection

SESSION_NAME = "rapport-indexes"

# A server that notices at once that we are gone stops building; one that can't, builds to the end.
_WATCH_CLIENT = "SET client_connection_check_interval = '1s'"
_LONGEST_WAIT = "SET lock_timeout = '10min'"
_FIRST = """
SELECT pid = pg_backend_pid() FROM pg_stat_activity
 WHERE application_name = %s AND datname = current_database() ORDER BY backend_start, pid LIMIT 1
"""


@contextmanager
def upkeep_session() -> Iterator["psycopg.Connection[Any] | None"]:
    """An autocommit connection; None while another session, here or elsewhere, is at it. Raises psycopg.Error."""
    with direct_connection(application_name=SESSION_NAME) as session:
        row = session.execute(_FIRST, [SESSION_NAME]).fetchone()
        if row is None or not row[0]:
            yield None
            return
        session.execute(_LONGEST_WAIT)
        with suppress(psycopg.errors.Error):
            session.execute(_WATCH_CLIENT)
        yield session
