"""manage.py purge [--yes]: overwrite erased text in the database's files."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from config.management.arguments import between
from config.management.progress import progress_bar
from upkeep.purging import PurgeBlocked, purge_files
from web.management.base import ServiceCommand

ASK = "Every table is rewritten and locked meanwhile; calls wait that long. Continue? [y/N] "
OUT_OF_REACH = (
    "Out of its reach: backups and file system snapshots made before, and blocks that the disk has freed but not yet "
    "written over. Let old backups expire; encrypt the disk."
)


class Command(ServiceCommand):
    help = "Overwrite erased text in the database's own files: tables, statistics, write-ahead log."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument(
            "--patience",
            type=between(float, 0, 86_400),
            default=60.0,
            metavar="SECONDS",
            help="how long to wait for transactions that began earlier (default: 60)",
        )

    def handle(self, *args: Any, yes: bool, patience: float, **options: Any) -> None:
        if not yes and not _agreed():
            raise CommandError("Nothing was done. To purge without being asked: manage.py purge --yes")
        try:
            with progress_bar("renewing the statistics", total=1, counted=False) as advance:
                remarks = purge_files(patience=patience, told=advance)
        except PurgeBlocked as blocked:
            raise CommandError(f"{blocked} Nothing was purged: try again when they have ended.") from None
        self.stdout.write(
            "Purged. The database's files hold nothing of what was erased, but where this says so:"
        )
        for remark in [*remarks, OUT_OF_REACH]:
            self.stdout.write(f"- {remark}")


def _agreed() -> bool:
    try:
        return input(ASK).strip().lower() in {"y", "yes"}
    except EOFError:
        return False
