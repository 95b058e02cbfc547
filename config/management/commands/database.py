"""manage.py database start|stop|status|url|programs: control the embedded PostgreSQL."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.embedded_postgres import (
    EmbeddedPostgresError,
    database_url,
    running_pid,
    socket_dir,
    start_if_used,
    stop,
)
from config.embedded_postgres.account import run_as
from config.embedded_postgres.layout import log_file
from config.embedded_postgres.programs import programs_for
from config.embedded_postgres.server import STOP_MODES


class Command(BaseCommand):
    help = "Start, stop or look at the embedded PostgreSQL, which Rapport uses when DATABASE_URL is not set."
    requires_system_checks = ()  # some query the database, which may be down

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser(
            "start", help="start it if it is not running, and wait until it accepts connections"
        )
        stopping = actions.add_parser("stop", help="stop it, and wait until it has ended")
        stopping.add_argument("--mode", choices=STOP_MODES, default="fast", help="how to treat its clients")
        actions.add_parser("status", help="say whether it runs, and where its files are")
        actions.add_parser("url", help="print its address, for psql or pg_dump")
        actions.add_parser("programs", help="print the folder with its psql, pg_dump and pg_restore")

    def handle(self, *args: Any, action: str, mode: str = "fast", **options: Any) -> None:
        data_dir: Path | None = settings.EMBEDDED_POSTGRES_DIR
        if data_dir is None:
            raise CommandError(
                "DATABASE_URL is set, so the embedded database is not in use. "
                "Look after that server with its own tools, or unset DATABASE_URL."
            )
        try:
            self.stdout.write(self._answer(data_dir, action=action, mode=mode))
        except (EmbeddedPostgresError, OSError) as error:
            raise CommandError(str(error)) from error

    def _answer(self, data_dir: Path, *, action: str, mode: str) -> str:
        if action == "url":
            return database_url(data_dir, name=settings.DATABASES["default"]["NAME"])
        if action == "programs":
            return str(programs_for(None))
        if action == "stop":
            return (
                "The database has stopped." if stop(data_dir, mode=mode) else "The database was not running."
            )
        if action == "start":
            start_if_used()
        return _status(data_dir)


def _status(data_dir: Path) -> str:
    pid = running_pid(data_dir)
    version = run_as(None, [programs_for(None) / "postgres", "--version"]).output
    lines = [
        "not running" if pid is None else f"running, PID {pid}",
        f"version  PostgreSQL {version.removeprefix('postgres (PostgreSQL) ')}",
        f"files    {data_dir}",
        f"socket   {socket_dir(data_dir)}",
        f"log      {log_file(data_dir)}",
    ]
    return "\n".join(lines)
