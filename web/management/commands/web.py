import os
import re
import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from web.server.command import web_command

_NICE = 19  # of the group for replies, as far as it goes: contexts are asked for before every one of them


class Command(BaseCommand):
    help = "Run the web server alone, in the foreground; SIGTERM lets it finish what it has begun."
    requires_system_checks = ("settings",)  # the others load every page, and look at code

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--bind",
            default=settings.WEB_BIND,
            help=f"host:port or unix:/path (RAPPORT_BIND, now {settings.WEB_BIND})",
        )

        parser.add_argument(
            "--chats",
            action="store_true",
            help="a second group, for replies: it gives way to the first where both want the processor",
        )

    def handle(self, *, bind: str, chats: bool, **options: Any) -> None:
        try:
            grace = settings.MAX_WAIT_SECONDS + 10
            command = web_command(
                bind, processes=settings.WEB_PROCESSES, grace=grace, folder=settings.BASE_DIR
            )
        except ValueError as error:
            raise CommandError(f"--bind: {error}.") from error
        connections.close_all()
        if chats:
            os.nice(_NICE)
        os.environ["RAPPORT_PROCESS"] = "web"
        os.environ["RAPPORT_WEB_PID"] = str(os.getpid())  # the server's too, which takes this process over
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_folder_of_meters(bind))
        os.execv(command[0], command)  # noqa: S606 - our own Python


def _folder_of_meters(bind: str) -> Path:
    """Where this server's processes count what /metrics adds up, empty at its start."""
    folder: Path = settings.DATA_DIR / "meters" / re.sub(r"[^A-Za-z0-9]+", "-", bind)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
