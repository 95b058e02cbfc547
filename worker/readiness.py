"""Whether this instance can serve, and whether work is being done; if not, why.

The first is what a load balancer asks: the database and the migrations, and nothing of any tenant's. The second is
for whoever is called at night: worker.alarm has its rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, connections, transaction
from django.db.migrations.loader import MigrationLoader

from worker.alarm import Hindrance, hindrances, reasons_for_alarm
from worker.condition import QueueCondition, read_condition

_CONNECT_SECONDS = 2  # the least that libpq takes
_STATEMENT_SECONDS = 2


@dataclass(slots=True)
class Readiness:
    """`reasons` in sentences; none of them: ready. What the database knows is None while it is away."""

    reasons: list[str] = field(default_factory=list)
    database: bool = False
    pending_migrations: list[str] | None = None

    @property
    def ready(self) -> bool:
        return not self.reasons


Looked = TypeVar("Looked", bound=Readiness)


@dataclass(slots=True)
class WorkReadiness(Readiness):
    """`degraded`: what turns wait for that is no reason for an alarm."""

    condition: QueueCondition | None = None
    degraded: list[Hindrance] = field(default_factory=list)


def check_readiness() -> Readiness:
    """Whether this instance can serve. Within a few seconds, whatever is broken."""
    return _look(Readiness())


def check_work() -> WorkReadiness:
    """Whether, besides, turns are being read. Likewise."""
    work = _look(WorkReadiness())
    if not work.ready:
        return work
    try:
        with transaction.atomic():
            limit_statements()
            work.condition = read_condition()
    except DatabaseError as error:
        return _away(work, error)
    found = hindrances(work.condition)
    work.degraded = [hindrance for hindrance in found if not hindrance.alarming]
    work.reasons += reasons_for_alarm(work.condition, found)
    return work


def _look(readiness: Looked) -> Looked:
    try:
        _knock()
        with transaction.atomic():
            limit_statements()
            readiness.pending_migrations = pending_migrations()
            readiness.database = True
    except (psycopg.Error, DatabaseError) as error:
        return _away(readiness, error)
    if readiness.pending_migrations:
        names = ", ".join(readiness.pending_migrations[:5])
        readiness.reasons.append(f"migrations: {names} not applied; run manage.py migrate")
    return readiness


def _away(readiness: Looked, error: Exception) -> Looked:
    readiness.database = False
    readiness.reasons.append(f"database: it does not answer ({type(error).__name__})")
    return readiness


def limit_statements() -> None:
    """In this transaction no statement waits for a lock, or works, longer than a probe would listen."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{_STATEMENT_SECONDS}s'")


def pending_migrations() -> list[str]:
    """Migrations that are in the code and not in the database. Raises django.db.Error."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations') IS NOT NULL")
        applied: set[tuple[str, str]] = set()
        if cursor.fetchone()[0]:
            cursor.execute("SELECT app, name FROM django_migrations")
            applied = set(cursor.fetchall())
    return [f"{app}.{name}" for app, name in _migrations_in_code() if (app, name) not in applied]


def provider_in_use() -> dict[str, Any]:
    """The default language model, as an operator may see it. Imports no vendor's SDK into this process."""
    return _in_use(settings.DEFAULT_LLM_PROVIDER, settings.LLM_PROVIDERS)


def embedder_in_use() -> dict[str, Any]:
    """The embedder that a configuration's `default` stands for, likewise."""
    return _in_use(settings.DEFAULT_EMBEDDING_PROVIDER, settings.EMBEDDING_PROVIDERS)


def _in_use(alias: str, aliases: Mapping[str, Any]) -> dict[str, Any]:
    options = aliases[alias].get("OPTIONS", {})
    host = urlsplit(options.get("base_url") or "").netloc.rpartition("@")[2]
    return {"alias": alias, "model": options.get("model") or "", "host": host}


def _knock() -> None:
    """A connection of our own, so that an answer does not hang on a request's patience. Raises psycopg.Error."""
    parameters: dict[str, Any] = connections["default"].get_connection_params()
    parameters.pop("cursor_factory", None)
    parameters.pop("context", None)
    parameters.pop("prepare_threshold", None)
    parameters["connect_timeout"] = _CONNECT_SECONDS
    psycopg.connect(**parameters).close()


@lru_cache(maxsize=1)
def _migrations_in_code() -> tuple[tuple[str, str], ...]:
    """Reading them all costs some 50 ms, and they don't change while a process runs."""
    return tuple(sorted(MigrationLoader(None).disk_migrations))
