"""Whether the database's schema is this code's."""

from functools import lru_cache

from django.db.migrations.loader import MigrationLoader

from config.postgresql.sessions import execute


def pending_migrations() -> list[str]:
    """Migrations that are in the code and not in the database. Raises django.db.Error."""
    applied = _applied()
    return [f"{app}.{name}" for app, name in _in_code() if (app, name) not in applied]


def unknown_migrations() -> list[str]:
    """Those that a newer version applied to the database. Raises django.db.Error."""
    return [f"{app}.{name}" for app, name in sorted(_applied() - {*_in_code()})]


def _applied() -> set[tuple[str, str]]:
    is_there = execute("SELECT to_regclass('django_migrations') IS NOT NULL")[0][0]
    return (
        {(app, name) for app, name in execute("SELECT app, name FROM django_migrations")}
        if is_there
        else set()
    )


@lru_cache(maxsize=1)
def _in_code() -> tuple[tuple[str, str], ...]:
    """Reading them all costs some 50 ms, and they don't change while a process runs."""
    return tuple(sorted(MigrationLoader(None).disk_migrations))
