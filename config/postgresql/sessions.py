"""PostgreSQL beside the ORM: statements that are prepared, sessions of one's own, and what its errors mean."""

import re
from contextvars import ContextVar
from typing import Any

import psycopg
from django.conf import settings
from django.db import InterfaceError, OperationalError, connections
from django.db.backends.utils import CursorWrapper
from django.db.utils import DEFAULT_DB_ALIAS
from psycopg import _queries
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format

from config.database import KEEPALIVES

READING: ContextVar[str] = ContextVar("reading", default=DEFAULT_DB_ALIAS)  # see config.postgresql.replica
_CONNECT_SECONDS = 5
_NOT_FOR_PSYCOPG = ("cursor_factory", "context")  # Django's own, of its connections
_OVER_A_LIMIT = "54"  # SQLSTATE's class of statements that are too large or too complex
_CONNECTION = "08"  # its class of connections: the server's own to another, as ours has no code when lost
_POOLER = "08P01"  # of that class, what PgBouncer says of itself: all of the database is away
DISK_FULL = "53100"
READ_ONLY = "25006"  # a write where none is taken, as by a server that hands over to another
TOOK_TOO_LONG = "57014"  # a statement that was cancelled, by its own limit mostly
_SHUTDOWN = ("57P01", "57P02", "57P03")
# What a server tells of another that broke off while it was asked, under the code of anything unforeseen.
_BROKE_OFF = re.compile(
    "server closed the connection|connection not open|could not (?:receive|send) data|failure on connection"
)
# What a statement finds that was sent to a shard in the moment in which it moved: its name ends with a number.
_MOVED = re.compile(r"_\d{6,}\"? does not exist|could not open relation with OID|could not find .*\bshard")

# The driver takes longer statements apart anew each time, as generated ones seldom come again. Ours are constants, and
# several are longer: that was 0.07 ms for each.
_queries.MAX_CACHED_STATEMENT_LENGTH = 16_384


class PreparedCursor(psycopg.Cursor[Any]):
    """Prepares every statement at its first use on a connection.

    Where the connection's `prepare_threshold` is set (settings.DATABASES); where it is not, as behind a pooler that
    hands its connections round, they are plain statements with server-side binding. The ORM never prepares.
    """

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = True, binary: bool | None = None
    ) -> "PreparedCursor":
        return super().execute(query, params, prepare=prepare, binary=binary)


def reading_from() -> str:
    """The database that this thread reads from now: within a transaction, the one that is written to."""
    alias = READING.get()
    inside = alias != DEFAULT_DB_ALIAS and connections[DEFAULT_DB_ALIAS].in_atomic_block
    return DEFAULT_DB_ALIAS if inside else alias


def prepared_cursor(*, binary: bool = False, using: str = "") -> CursorWrapper:
    """For the few hot reads: on Django's own connection, in its transaction if there is one, seen by its query log.

    JSON columns come as text, as everywhere on Django's connection. `binary`: all others as PostgreSQL has them, which
    saves writing bytes as hexadecimal digits and reading them again. `using`: elsewhere than this thread reads from.
    """
    # Once: each look through `connection` finds the thread's own anew.
    database = connections[using or reading_from()]
    database.close_if_health_check_failed()
    database.ensure_connection()
    # The stubs ask for a wrapper here; Django itself hands over the driver's cursor, as we do.
    cursor: Any = PreparedCursor(database.connection)
    cursor.format = Format.BINARY if binary else Format.TEXT
    return database.make_debug_cursor(cursor) if database.queries_logged else database.make_cursor(cursor)


def execute(statement: Any, parameters: Any = None) -> list[tuple[Any, ...]]:
    """A statement on Django's own connection, in its transaction if there is one; the rows that it tells of."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


def release_connection() -> None:
    """Give the thread's connections back to the process's pools while it waits for something else.

    Inside a transaction one stays, and so it does where there is no pool, as in commands.
    """
    for database in connections.all(initialized_only=True):
        if not database.in_atomic_block and "pool" in database.settings_dict["OPTIONS"]:
            database.close()


def direct_connection(**given: Any) -> "psycopg.Connection[Any]":
    """A session of one's own, for LISTEN and whatever else a pooler that shares sessions would take apart.

    At DATABASE_DIRECT_URL; without one, where Django's connections are. Autocommit. Raises psycopg.Error.
    Statements are prepared unless the session may be shared after all.
    """
    if settings.DATABASE_DIRECT_URL:
        name = connections["default"].settings_dict["OPTIONS"].get("application_name", "rapport")
        parameters: dict[str, Any] = {
            **KEEPALIVES,
            **conninfo_to_dict(settings.DATABASE_DIRECT_URL),
            "application_name": name,
            "connect_timeout": _CONNECT_SECONDS,
        }
    else:
        parameters = connections["default"].get_connection_params()
        for option in _NOT_FOR_PSYCOPG:
            parameters.pop(option, None)
        parameters.setdefault("connect_timeout", _CONNECT_SECONDS)
    return psycopg.connect(autocommit=True, **{**parameters, **given})


def sqlstate(error: BaseException) -> str:
    """The database's own five-letter code, or nothing."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def database_went_away(error: BaseException) -> bool:
    """It can't be reached, takes no writes or could not go on, so that the same may do well later.

    A statement beyond its limits is of the same class in Python, but a mistake of ours: it never does well.
    """
    if not isinstance(error, OperationalError | InterfaceError):
        return sqlstate(error) == READ_ONLY or node_went_away(error)
    return not sqlstate(error).startswith(_OVER_A_LIMIT)


def node_went_away(error: BaseException) -> bool:
    """Only a node of a distributed database can't be reached, or hands a shard over: the server that we asked says so,
    and goes on."""
    state, cause = sqlstate(error), error.__cause__
    if state in ("XX000", "42P01"):
        return bool(_BROKE_OFF.search(str(cause)) or _MOVED.search(str(cause)))
    if state in _SHUTDOWN and isinstance(cause, psycopg.Error):
        return cause.diag.severity_nonlocalized == "ERROR"  # passed on; a server that ends itself says FATAL
    return state.startswith(_CONNECTION) and state != _POOLER
