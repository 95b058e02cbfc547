"""manage.py import_mem0 FILE --companion SLUG [--project ...]: imports memories that mem0 exported as entries."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize

from config.management.progress import progress_bar
from connect.mem0.import_file import import_memories
from relationships.management.projects import find_project
from web.actor import Actor
from web.management.base import ServiceCommand

BY = Actor.policy("manage.py import_mem0")


class Command(ServiceCommand):
    help = "Import memories from a file that mem0 wrote: the answer of its get_all, or a list of memories."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON")
        parser.add_argument(
            "--companion", required=True, help="the slug of the companion whose memory they become"
        )
        parser.add_argument("--project", help="its ID or name; not needed if there is only one")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = options["file"].read_text(encoding="utf-8-sig")
            project = find_project(options["project"])
            with progress_bar("memories", total=1, counted=False) as advance:
                moved = import_memories(
                    text, project=project, companion=options["companion"], by=BY, told=advance
                )
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise CommandError(f"{options['file']} is no UTF-8 text (at byte {error.start}).") from None
        entries, people = pluralize(moved.entries, "y,ies"), pluralize(moved.people, "person,people")
        self.stdout.write(f"{moved.entries} entr{entries} of {moved.people} {people}.")
        for line in moved.left_out:
            self.stderr.write(f"left out: {line}")
