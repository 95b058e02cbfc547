import hashlib
import os
import shutil
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from config.loading import load_code
from config.priority import lower_session_priority
from config.supervision import name_process, share_memory_with_children
from web.meters import count_in
from web.server.processes import web_server

# For the group that makes replies, as contexts, which come before every reply, matter more. Its session is also
# compared with whatever else runs on the machine.
_NICE, _SESSIONS_NICE = 19, 10


class Command(BaseCommand):
    help = "Run only the web server, in the foreground; on SIGTERM it finishes the requests it has begun."
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
            help="run as a second group, for replies; it gives way to the first when both want the processor",
        )

    def handle(self, *, bind: str, chats: bool, **options: Any) -> None:
        try:
            server = web_server(bind, processes=settings.WEB_PROCESSES, grace=settings.MAX_WAIT_SECONDS + 10)
        except ValueError as error:
            raise CommandError(f"--bind, or RAPPORT_BIND: {error}.") from error
        except OSError as error:
            raise CommandError(f"The web server can't be at {bind}: {error.strerror}.") from error
        if chats:
            os.nice(_NICE)
            lower_session_priority(_SESSIONS_NICE)
        name_process("rapport-web")
        os.environ["RAPPORT_WEB_PID"] = str(os.getpid())
        meters = _folder_of_meters(bind)
        count_in(meters)
        load_code()
        for database in connections.all(initialized_only=True):
            database.close()
            database.close_pool()  # type: ignore[attr-defined]  # its threads would not be there after a fork
        share_memory_with_children()
        try:
            server.serve()
        except (RuntimeError, ValueError) as error:  # after the first line it has granian's own traceback
            why = str(error).strip().splitlines()[0]
            raise CommandError(f"The web server can't be at {bind}: {why}.") from error
        finally:
            shutil.rmtree(meters, ignore_errors=True)


def _folder_of_meters(bind: str) -> Path:
    """A new, empty folder for the counters of this server's processes, which /metrics adds up. It is in memory where
    there is such a place: on a full disk, counting in a mapped file kills the process.
    """
    memory = "/dev/shm"  # noqa: S108 - the folder is nobody else's
    parent = memory if os.access(memory, os.W_OK) else tempfile.gettempdir()
    server = hashlib.sha256(f"{os.getuid()} {settings.DATA_DIR} {bind}".encode()).hexdigest()[:16]
    folder = Path(parent, f"rapport-{server}")
    shutil.rmtree(folder, ignore_errors=True)  # of a server that was killed
    folder.mkdir(mode=0o700)
    return folder
