"""Whether the database's schema is this code's."""

from functools import lru_cache

from django.apps import apps
from django.db import DatabaseError
from django.db.migrations.loader import MigrationLoader

from config.postgresql.sessions import execute

_MISSING = """
SELECT concat(w.name, ' of ', w.held_by) FROM unnest(%s::text[], %s::text[]) w (name, held_by)
  LEFT JOIN pg_attribute a ON a.attrelid = to_regclass(w.held_by) AND a.attname = w.name AND NOT a.attisdropped
 WHERE a.attname IS NULL
"""


class NoSearchPath(DatabaseError):
    """The session finds no table: somebody has emptied its search_path, and it is shared."""

    def __init__(self) -> None:
        super().__init__(
            "a session's search_path is empty, as pg_dump leaves it behind a pooler that shares sessions; have the "
            "pooler reconnect (RECONNECT), and run pg_dump past it"
        )


def pending_migrations() -> list[str]:
    """Migrations that are in the code and not in the database. Raises django.db.Error."""
    applied = _applied()
    return [f"{app}.{name}" for app, name in _in_code() if (app, name) not in applied]


def unknown_migrations() -> list[str]:
    """Those that a newer version applied to the database. Raises django.db.Error."""
    return [f"{app}.{name}" for app, name in sorted(_applied() - {*_in_code()})]


def missing_columns() -> list[str]:
    """`column of table` for each that this code needs and the database lacks. Raises django.db.Error."""
    needed = [field for model in apps.get_models() for field in model._meta.concrete_fields]
    tables = [field.model._meta.db_table for field in needed]
    return [name for (name,) in execute(_MISSING, [[field.column for field in needed], tables])]


def is_other_schema() -> bool:
    """Return whether the database is of another version, as amid an upgrade. False if it can't be asked."""
    try:
        return bool(pending_migrations() or unknown_migrations())
    except DatabaseError:
        return False


def _applied() -> set[tuple[str, str]]:
    is_there, schema = execute("SELECT to_regclass('django_migrations') IS NOT NULL, current_schema()")[0]
    if schema is None:
        raise NoSearchPath
    return (
        {(app, name) for app, name in execute("SELECT app, name FROM django_migrations")}
        if is_there
        else set()
    )


@lru_cache(maxsize=1)
def _in_code() -> tuple[tuple[str, str], ...]:
    """Reading them all costs some 50 ms, and they don't change while a process runs."""
    return tuple(sorted(MigrationLoader(None).disk_migrations))
