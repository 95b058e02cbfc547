from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connections

from config.management.arguments import between
from config.serving import Address, Foreground, require_free


class Command(BaseCommand):
    help = "Run the whole service in the foreground, web server and worker, until Ctrl-C."
    requires_system_checks = ("settings", "security")  # the others load every page and check code

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument(
            "--port", type=between(int, 1, 65535), default=8000, help="port to listen on (default: 8000)"
        )
        parser.add_argument("--no-migrate", action="store_true", help="leave pending migrations as they are")

    def handle(self, *, host: str, port: int, no_migrate: bool, **options: Any) -> None:
        address, note = Address(host, port), settings.DATA_DIR / "serve.json"
        require_free(address, note=note)
        if not no_migrate:
            call_command("migrate", interactive=False, verbosity=0)
        connections.close_all()
        Foreground(address, root=settings.BASE_DIR, note=note, say=self._say).run()

    def _say(self, sentence: str) -> None:
        """In JSON, the log's own line says it."""
        if settings.LOG_STYLE == "json":
            return
        self.stdout.write(sentence)
        self.stdout.flush()
