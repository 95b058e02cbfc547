"""System checks of the settings, each with an ID and a hint. `manage.py check` runs them.

rapport.E001  an environment variable can't be read
rapport.E002  PostgreSQL is older than 15, or pgvector is missing or older than 0.8 (with --database default)
rapport.W001  the secret key is this machine's own while the database is shared
rapport.W002  DEBUG is on where the service answers other machines
rapport.W003  the replica can't be read, so that all is read from the primary (with --database default)
rapport.W004  a pooler stands where sessions must not be shared (with --database default)
rapport.W005  pgvector is not in this database, and the account may not create it (with --database default)
rapport.W006  a newer version has migrated the database, or it lacks columns (with --database default)
"""

import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import Error as DatabaseFailure
from django.db import connections
from django.utils.module_loading import import_string

from config import environment, tracing
from config.postgresql.replica import REPLICA, Unfit, replica
from config.postgresql.sessions import direct_connection
from config.postgresql.unusable import other_schema

OLDEST_POSTGRESQL = 150000
OLDEST_PGVECTOR = (0, 8)
LOCAL = {"localhost", "127.0.0.1", "[::1]"}


@register("settings")
def check_environment(**_: Any) -> list[CheckMessage]:
    tracing.wanted()  # reads variables that have no setting
    for module in settings.PLUGINS:
        if not _is_there(module):
            environment.problem(
                "RAPPORT_PLUGINS", f"{module!r} can't be imported", "write modules that are on Python's path"
            )
    return [
        Error(f"{name} {what}.", hint=f"{how[:1].upper()}{how[1:]}.", id="rapport.E001")
        for name, what, how in environment.PROBLEMS
    ]


def _is_there(dotted: str) -> bool:
    """Return whether this module or what it names can be imported."""
    try:
        return find_spec(dotted) is not None
    except ImportError:  # no package, or a name that begins with a dot
        pass
    try:
        import_string(dotted)
    except (ImportError, ValueError):  # the latter, if nothing is before the dot
        return False
    return True


@register(Tags.security)
def check_security(**_: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if settings.DATABASE_URL and not environment.text("RAPPORT_SECRET_KEY"):
        hint = "Set RAPPORT_SECRET_KEY to the same long random text on every machine: workers verify tasks with it."
        found.append(Warning("The secret key is this machine's own.", hint=hint, id="rapport.W001"))
    if settings.DEBUG and not set(settings.ALLOWED_HOSTS) <= LOCAL:
        hint = "Unset RAPPORT_DEBUG: its error pages show settings."
        found.append(Warning("DEBUG is on where others can see it.", hint=hint, id="rapport.W002"))
    return found


@register(Tags.database)
def check_versions(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    for alias in databases or []:
        try:
            found += _check_versions(alias)
        except DatabaseFailure as error:
            hint = "Check DATABASE_URL, and that PostgreSQL is running."
            found.append(Error(f"The database can't be asked: {error}", hint=hint, id="rapport.E002"))
    return found


@register(Tags.database)
def check_schema(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    try:
        said = other_schema() if "default" in (databases or []) else ""
    except DatabaseFailure:
        return []  # check_versions says why
    hint = "docs/how-to/run-in-production.md says how to upgrade, and how to go back."
    return [Warning(said, hint=hint, id="rapport.W006")] if said else []


@register(Tags.database)
def check_replica(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    if "default" not in (databases or []):
        return []
    try:
        _age_of_replica()
        missing = [] if replica.is_node else sorted(_migrations("default") - _migrations(REPLICA))
    except Unfit as why:
        hint = _OF_REPLICA.get(why.reason)
        said = str(why)
        return [Warning(f"{said[:1].upper()}{said[1:]}.", hint=hint, id="rapport.W003")] if hint else []
    except DatabaseFailure as error:
        return [Warning(f"The replica can't be asked: {error}", hint=_OF_REPLICA["away"], id="rapport.W003")]
    what = f"The replica has another schema: it lacks {', '.join(map('.'.join, missing[:5]))}."
    return [Warning(what, hint=_OF_REPLICA["behind"], id="rapport.W003")] if missing else []


@register(Tags.database)
def check_pooler(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    found = []
    if "default" in (databases or []):
        for alias, variable in (("default", "DATABASE_URL"), (REPLICA, "DATABASE_REPLICA_URL")):
            if alias in connections.settings and _is_taken_apart(alias):
                found.append(f"{variable} goes through a pooler, and RAPPORT_PREPARED_STATEMENTS is on.")
        try:
            if settings.DATABASE_DIRECT_URL:
                with direct_connection() as session:
                    if _leads_through_a_pooler(session):
                        found.append("DATABASE_DIRECT_URL goes through a pooler, too.")
        except psycopg.Error as error:
            found.append(f"DATABASE_DIRECT_URL can't be asked: {error}")
    return [Warning(problem, hint=_OF_POOLER, id="rapport.W004") for problem in found]


_OF_POOLER = "See docs/how-to/use-your-own-postgresql.md; a pooler in session mode causes no problem."


def _is_taken_apart(alias: str) -> bool:
    """Return whether statements are prepared through a pooler. If it can't be reached, other checks report it."""
    try:
        connections[alias].ensure_connection()
        session: psycopg.Connection[Any] = connections[alias].connection
        return session.prepare_threshold is not None and _leads_through_a_pooler(session)
    except (DatabaseFailure, psycopg.Error):
        return False


def _leads_through_a_pooler(session: "psycopg.Connection[Any]") -> bool:
    """Return whether there is a pooler: it gives its clients other backend PIDs than the server."""
    return session.execute("SELECT pg_backend_pid()").fetchall() != [(session.info.backend_pid,)]


def _age_of_replica() -> None:
    """Check the replica's age. Raises Unfit.

    It tries twice: if nobody commits, the replica seems as old as the last commit until it has replayed the primary's
    latest record.
    """
    try:
        replica.age()
    except Unfit as why:
        if why.reason != "behind":
            raise
        time.sleep(min(settings.REPLICA_LIMIT_SECONDS / 2, 1))
        replica.age()


_OF_REPLICA = {
    "away": "Check DATABASE_REPLICA_URL, and that the standby runs and takes connections (hot_standby = on).",
    "foreign": "Set DATABASE_REPLICA_URL to a streaming standby of the server that DATABASE_URL leads to, or to a "
    "node of its Citus. If it was just promoted, run CHECKPOINT there, and then on the standby.",
    "behind": "Check in pg_stat_replication on the primary whether it follows, and whether its replay is paused.",
}


def _migrations(alias: str) -> set[tuple[str, str]]:
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return set(cursor.fetchall())


_VERSIONS = """
SELECT current_setting('server_version_num')::int, e.default_version, e.installed_version,
       r.rolsuper OR v.trusted AND has_database_privilege(current_database(), 'CREATE')
  FROM pg_roles r LEFT JOIN pg_available_extensions e ON e.name = 'vector'
  LEFT JOIN pg_available_extension_versions v ON v.name = e.name AND v.version = e.default_version
 WHERE r.rolname = current_user
"""


def _check_versions(alias: str) -> list[CheckMessage]:
    with connections[alias].cursor() as cursor:
        cursor.execute(_VERSIONS)
        server, there, installed, may_install = cursor.fetchone()
    found: list[CheckMessage] = []
    if server < OLDEST_POSTGRESQL:
        hint = "Use PostgreSQL 15 or newer."
        found.append(Error(f"PostgreSQL is version {server // 10000}.", hint=hint, id="rapport.E002"))
    if there is None or _is_too_old(there):
        hint = "Install pgvector 0.8 or newer on the database server (Debian: postgresql-NN-pgvector)."
        what = f"pgvector is version {there}." if there else "The extension pgvector is not installed."
        found.append(Error(what, hint=hint, id="rapport.E002"))
    elif installed is not None and _is_too_old(installed):
        hint = "In this database, by a superuser: ALTER EXTENSION vector UPDATE."
        what = f"pgvector is version {installed} in this database, and {there} on its server."
        found.append(Error(what, hint=hint, id="rapport.E002"))
    elif installed is None and not may_install:
        hint = "In this database, by a superuser: CREATE EXTENSION vector."
        what = "This database has no extension vector yet, and this account may not create it: migrate would fail."
        found.append(Warning(what, hint=hint, id="rapport.W005"))
    return found


def _is_too_old(pgvector: str) -> bool:
    return tuple(int(part) for part in pgvector.split(".")[:2]) < OLDEST_PGVECTOR
