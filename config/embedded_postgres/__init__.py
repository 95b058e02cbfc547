"""The embedded PostgreSQL, used if DATABASE_URL is not set: programs from a wheel, started by Rapport.

manage.py, wsgi and the tests call `start_if_used()`. Nothing is started while settings are imported, and the
server outlives whoever started it: `manage.py database stop` stops it.
"""

from pathlib import Path

from django.conf import settings

from config.embedded_postgres.errors import EmbeddedPostgresError
from config.embedded_postgres.layout import database_url, socket_dir
from config.embedded_postgres.postmaster import running_pid
from config.embedded_postgres.server import create_database, ensure_running, stop

__all__ = [
    "EmbeddedPostgresError",
    "create_database",
    "database_url",
    "ensure_running",
    "running_pid",
    "socket_dir",
    "start_if_used",
    "stop",
]


def start_if_used() -> None:
    """Start the embedded server and create the service's database. Does nothing if DATABASE_URL is set.

    Raises EmbeddedPostgresError; psycopg.Error if the server goes down in between.
    """
    data_dir: Path | None = settings.EMBEDDED_POSTGRES_DIR
    if data_dir is not None:
        ensure_running(data_dir)
        create_database(data_dir, settings.DATABASES["default"]["NAME"])
