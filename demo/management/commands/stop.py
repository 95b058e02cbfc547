from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.embedded_postgres import EmbeddedPostgresError, stop
from demo.errors import DemoFailed
from demo.service import stop_service


class Command(BaseCommand):
    help = "Stop the service that runs here, started by `serve` or the demo, and the embedded database."
    requires_system_checks = ()  # it must work with any settings

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            stopped = stop_service()
            database: Path | None = settings.EMBEDDED_POSTGRES_DIR
            database_stopped = stop(database) if database is not None else False
        except (DemoFailed, EmbeddedPostgresError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"The service at {stopped.url} has stopped." if stopped else "No service was running."
        )
        if database_stopped:
            self.stdout.write("The embedded database has stopped.")
