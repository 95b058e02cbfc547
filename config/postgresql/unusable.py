"""Explains to whoever ran a command why it can't use the database."""

import psycopg
from django.db import Error as DatabaseError

from config.postgresql.migrations import (
    NoSearchPath,
    missing_columns,
    pending_migrations,
    unknown_migrations,
)
from config.postgresql.sessions import database_went_away

_OTHER_SCHEMA = ("42P01", "42703", "42883")  # a table, a column or a function does not exist


def why_unusable(error: Exception) -> str:
    """Return a sentence with the way out, or "" if the error is a bug in Rapport, for which a traceback says more.

    `error`: any error of Django or the driver.
    """
    if isinstance(error, NoSearchPath):
        return f"The database can't be used: {error}."
    cause = error.__cause__ or error
    state = getattr(cause, "sqlstate", None)
    why = str(error).strip().partition("\n")[0]
    if isinstance(error, psycopg.OperationalError) or database_went_away(error):
        return f"The database can't be used: {why}. DATABASE_URL says where it is."
    if isinstance(cause, psycopg.Error) and _lacks_something(cause):
        return f"The database refuses this: {why}. manage.py check --database default says what it lacks."
    return _other_schema() if state in _OTHER_SCHEMA else ""


def _lacks_something(error: psycopg.Error) -> bool:
    """Return whether a privilege or an extension is missing. 0A000 may also be a statement that Citus can't run."""
    if error.sqlstate == "0A000":
        return error.diag.source_file == "extension.c"
    return error.sqlstate in ("42501", "58P01")


def _other_schema() -> str:
    try:
        pending, other = pending_migrations(), other_schema()
    except NoSearchPath as error:
        return why_unusable(error)
    except DatabaseError:
        return ""
    if pending:
        return f"The database lacks migrations ({_some(pending)}). Run manage.py migrate."
    return other


def other_schema() -> str:
    """A sentence if `migrate` can't make the schema this version's, else "". Raises django.db.Error."""
    if unknown := unknown_migrations():
        return f"The database is of a newer version ({_some(unknown)}). Run that, or restore a backup."
    if not pending_migrations() and (missing := missing_columns()):
        what = f"The database lacks columns ({_some(missing)}), though all migrations are applied."
        return f"{what} manage.py verify says what to do."
    return ""


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
