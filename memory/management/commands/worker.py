from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.embedded_postgres import start_if_used
from memory.queue.heartbeat import is_beating
from memory.queue.identity import this_machine
from memory.queue.supervisor import Supervisor


class Command(BaseCommand):
    help = "Remember: run the pool that reads turns, with its sweep and its watchdog, until SIGTERM."
    requires_system_checks = "__all__"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--grace",
            type=float,
            default=30.0,
            metavar="SECONDS",
            help="how long a stop waits for turns in hand before they are given back (default: 30)",
        )

        parser.add_argument(
            "--check",
            action="store_true",
            help="only say whether a worker of this machine lives (exit status 0) or not (1)",
        )

    def handle(self, *, grace: float, check: bool, **options: Any) -> None:
        if check:
            self._check()
            return
        if settings.PROCESS == "web":
            raise CommandError(
                "RAPPORT_PROCESS is 'web', whose connection pool breaks in forks. Leave it unset."
            )
        Supervisor(grace=grace, revive_database=start_if_used).run()

    def _check(self) -> None:
        """For a container's health check, where no web server is to be asked."""
        if not is_beating(this_machine(), settings.HEARTBEAT_LIMIT_SECONDS):
            raise CommandError(
                f"No worker of this machine has reported for {settings.HEARTBEAT_LIMIT_SECONDS:g} s."
            )
        self.stdout.write("The worker of this machine lives.")
