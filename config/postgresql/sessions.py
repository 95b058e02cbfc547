"""PostgreSQL without the ORM: prepared statements, separate sessions, and what its errors mean."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import psycopg
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connections
from django.db.backends.utils import CursorWrapper
from django.db.utils import DEFAULT_DB_ALIAS
from psycopg import _queries
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format

from config.database import KEEPALIVES

P = ParamSpec("P")
T = TypeVar("T")
READING: ContextVar[str] = ContextVar("reading", default=DEFAULT_DB_ALIAS)  # see config.postgresql.replica
_CONNECT_SECONDS = 5
_OVER_A_LIMIT = "54"  # SQLSTATE's class of statements that are too large or too complex
_CONNECTION = "08"  # its class for connections, here those between nodes: the loss of our own has no code
_POOLER = "08P01"  # in that class, an error of PgBouncer itself: the whole database is unreachable
DISK_FULL = "53100"
READ_ONLY = "25006"  # a write to a read-only server, such as one that is handing over to another
DEADLOCK = "40P01"
TOOK_TOO_LONG = "57014"  # a cancelled statement, mostly by its own timeout
_SHUTDOWN = ("57P01", "57P02", "57P03")
# What a server reports about another that broke off, under the code for internal errors.
_BROKE_OFF = re.compile(
    "server closed the connection|connection not open|could not (?:receive|send) data|failure on connection"
)
# What a statement gets when its shard (whose name ends with a number) is being moved.
_MOVED = re.compile(r"_\d{6,}\"? does not exist|could not open relation with OID|could not find .*\bshard")

# By default the driver parses longer statements each time, as generated ones seldom repeat. Ours are constants, several
# of them are longer, and parsing took 0.07 ms each.
_queries.MAX_CACHED_STATEMENT_LENGTH = 16_384


class PreparedCursor(psycopg.Cursor[Any]):
    """Prepares every statement at its first use on a connection. The ORM never does.

    If the connection's `prepare_threshold` (settings.DATABASES) is None, as behind a pooler that shares connections,
    they are plain statements with server-side binding.
    """

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = True, binary: bool | None = None
    ) -> "PreparedCursor":
        return super().execute(query, params, prepare=prepare, binary=binary)


def reading_from() -> str:
    """The alias of the database that this thread reads from; in a transaction it is the primary."""
    alias = READING.get()
    inside = alias != DEFAULT_DB_ALIAS and connections[DEFAULT_DB_ALIAS].in_atomic_block
    return DEFAULT_DB_ALIAS if inside else alias


def prepared_cursor(*, binary: bool = False, using: str = "") -> CursorWrapper:
    """A cursor for the few hot reads: on Django's own connection and in its transaction, with its query log.

    JSON columns are returned as text, as everywhere on Django's connection. `binary`: transfer the others in binary,
    which saves converting bytes to hexadecimal and back. `using`: another database than `reading_from()`.
    """
    # Looked up once: each use of `connection` would find the thread's own again.
    database = connections[using or reading_from()]
    database.close_if_health_check_failed()
    database.ensure_connection()
    # The stubs want a wrapper here, but Django itself passes the driver's cursor, too.
    cursor: Any = PreparedCursor(database.connection)
    cursor.format = Format.BINARY if binary else Format.TEXT
    return database.make_debug_cursor(cursor) if database.queries_logged else database.make_cursor(cursor)


def execute(statement: Any, parameters: Any = None) -> list[tuple[Any, ...]]:
    """Run a statement on Django's own connection, in its transaction if there is one. Return the rows, if any."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


def again_after_deadlock(work: Callable[P, T]) -> Callable[P, T]:
    """Decorate a transaction, or a statement of its own: the server ends it if it and another wait for each other, and
    then it is run again. Inside a longer transaction it is not, as that one may hold what the other waits for.
    """

    @wraps(work)
    def working(*args: P.args, **kwargs: P.kwargs) -> T:
        while True:
            try:
                return work(*args, **kwargs)
            except DatabaseError as error:
                if sqlstate(error) != DEADLOCK or connections[DEFAULT_DB_ALIAS].in_atomic_block:
                    raise

    return working


def release_connection() -> None:
    """Give the thread's connections back to the process's pools while it waits for something else.

    A connection in a transaction stays, and so does one without a pool, as in commands.
    """
    for database in connections.all(initialized_only=True):
        if not database.in_atomic_block and "pool" in database.settings_dict["OPTIONS"]:
            database.close()


def direct_connection() -> "psycopg.Connection[Any]":
    """Open a separate session, for LISTEN and whatever else does not work through a pooler that shares sessions.

    It connects to DATABASE_DIRECT_URL, or without one to Django's database, in autocommit. Statements are prepared,
    unless the session may be shared even so. Raises psycopg.Error.
    """
    djangos: dict[str, Any] = connections[DEFAULT_DB_ALIAS].get_connection_params()
    parameters = {"connect_timeout": _CONNECT_SECONDS, **djangos, "cursor_factory": None, "context": None}
    if settings.DATABASE_DIRECT_URL:
        own = {"application_name": djangos["application_name"], "connect_timeout": _CONNECT_SECONDS}
        parameters = {**KEEPALIVES, **conninfo_to_dict(settings.DATABASE_DIRECT_URL), **own}
    return psycopg.connect(autocommit=True, **parameters)


def sqlstate(error: BaseException) -> str:
    """The database's five-character error code, or ""."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def database_went_away(error: BaseException) -> bool:
    """Return whether the database is unreachable, read-only or broke off, so that a retry may succeed later.

    A statement beyond the server's limits is of the same Python class, but is our mistake and never succeeds.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return sqlstate(error) == READ_ONLY or node_went_away(error)
    return not sqlstate(error).startswith(_OVER_A_LIMIT)


def node_went_away(error: BaseException) -> bool:
    """Return whether only one node of a distributed database is unreachable or handing over a shard.

    The server that we are connected to reports that, and stays up.
    """
    state, cause = sqlstate(error), error.__cause__
    if state in ("XX000", "42P01"):
        return bool(_BROKE_OFF.search(str(cause)) or _MOVED.search(str(cause)))
    if state in _SHUTDOWN and isinstance(cause, psycopg.Error):
        return cause.diag.severity_nonlocalized == "ERROR"  # of a node; a server that ends itself says FATAL
    return state.startswith(_CONNECTION) and state != _POOLER
