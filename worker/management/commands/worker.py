from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.embedded_postgres import start_if_used
from config.management.arguments import between
from worker.heartbeat import has_living_worker
from worker.identity import this_machine
from worker.supervisor import WorkerSupervisor


class Command(BaseCommand):
    help = "Run the worker: the pool that reads turns, its sweep and its watchdog, until SIGTERM."
    requires_system_checks = ("settings", "security")  # the others load every page, and look at code

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--grace",
            type=between(float, 0, 86_400),
            default=30.0,
            metavar="SECONDS",
            help="seconds that a stop waits for turns in progress before it hands them back (default: 30)",
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="start nothing; say whether a worker is alive on this machine or container (exit status 0 or 1)",
        )

    def handle(self, *, grace: float, check: bool, **options: Any) -> None:
        if check:
            self._check()
        else:
            self._run(grace)

    def _run(self, grace: float) -> None:
        if settings.PROCESS == "web":
            raise CommandError(
                "RAPPORT_PROCESS is 'web', whose connection pool breaks in forks. Leave it unset."
            )
        connections.close_all()
        WorkerSupervisor(grace=grace, revive_database=start_if_used).run()

    def _check(self) -> None:
        limit = settings.HEARTBEAT_LIMIT_SECONDS
        if not has_living_worker(this_machine(), limit=limit):
            raise CommandError(f"No worker on this machine has reported for {limit:g} s.")
        self.stdout.write("The worker is alive.")
