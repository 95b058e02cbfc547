"""manage.py distribute [--dry-run | --status | --rebalance]: distribute the database over the nodes of Citus."""

from argparse import ArgumentParser
from time import perf_counter
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from config.management.arguments import between
from config.postgresql.citus import is_distributed
from config.postgresql.sessions import execute
from upkeep.distribution.checks import in_the_way, of_the_service
from upkeep.distribution.estimate import seconds_needed
from upkeep.distribution.pipeline import distribute
from upkeep.distribution.tables import status, tables, unfinished
from web.management.base import ServiceCommand

MOST_SHARDS = 64_000  # of Citus, of one table


class Command(ServiceCommand):
    help = "Spread the database over Citus nodes, by relationship. Stop web and worker first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verb = parser.add_mutually_exclusive_group()
        verb.add_argument("--dry-run", action="store_true", help="check and estimate; change nothing")
        verb.add_argument("--status", action="store_true", help="say what each node holds")
        verb.add_argument("--rebalance", action="store_true", help="move shards to nodes that hold fewer")
        parser.add_argument(
            "--shards",
            type=between(int, 1, MOST_SHARDS),
            default=32,
            metavar="NUMBER",
            help="at least one for each node you will ever have (default: 32)",
        )

    def handle(self, *args: Any, shards: int, **options: Any) -> None:
        if options["rebalance"]:  # while the service keeps running
            if not is_distributed(connection):
                raise CommandError("This database is not distributed. Run manage.py distribute first.")
            self.stdout.write(
                "Shards move. SELECT * FROM get_rebalance_progress() on the coordinator says how far they are."
            )
            execute("SELECT rebalance_table_shards(shard_transfer_mode => 'auto')")
            # Now, and not by Citus' daemon some seconds later: a drop of moved shards waits for who uses their keys.
            execute("CALL citus_cleanup_orphaned_resources()")
        if options["rebalance"] or options["status"]:
            for line in status():
                self.stdout.write(line)
        else:
            self._distribute(shards, only_said=options["dry_run"])

    def _distribute(self, shards: int, *, only_said: bool) -> None:
        began = perf_counter()
        held = tables()
        reasons, connected = in_the_way(held), list(of_the_service())
        if reasons or (connected and not only_said):
            raise CommandError("\n".join(f"- {reason}" for reason in [*reasons, *connected]))
        left = [table for table in held if not table.done]
        if not left and not unfinished():
            self.stdout.write("Every table is distributed. --status says what each node holds.")
            return
        size = sum(table.bytes for table in held) >> 20
        seconds = seconds_needed(held, shards=shards) + perf_counter() - began
        self.stdout.write(
            f"{len(left)} tables, {size} MB: about {seconds:.0f} s of maintenance, with this estimate."
        )
        if only_said:
            for reason in connected:
                self.stdout.write(f"Needed before it begins: {reason}")
            return
        distribute(shards=shards, told=self.stdout.write)
        self.stdout.write(f"Distributed in {perf_counter() - began:.0f} s. The service may start.")
        call_command("verify")
