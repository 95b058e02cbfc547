"""manage.py verify [--repair]: check the database against every invariant. Exit status 1 if one is broken."""

import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

import orjson
from django.core.management.base import CommandError

from config.management.progress import progress_bar
from config.postgresql.migrations import pending_migrations
from relationships.management.projects import find_project
from relationships.models import Relationship
from upkeep.verification import Report, verify
from upkeep.verification.report import EXAMPLES
from web.errors import InvalidInput
from web.management.base import ServiceCommand


class Command(ServiceCommand):
    help = "Check the database against every invariant, and list what is wrong. Safe while the service runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="mend what can be mended")
        parser.add_argument("--project", metavar="NAME_OR_ID", help="only its relationships and companions")
        parser.add_argument("--relationship", metavar="ID", help="only this one")
        parser.add_argument(
            "--all",
            action="store_true",
            dest="everything",
            help=f"list every row, not only the first {EXAMPLES}",
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="the report as JSON")

    def handle(self, *args: Any, as_json: bool, **options: Any) -> None:
        if missing := pending_migrations():
            raise CommandError(f"The database lacks migrations ({missing[0]}). Run manage.py migrate first.")
        report = self._verify(quietly=as_json, **options)
        if as_json:
            self.stdout.write(orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2).decode())
        else:
            for line in report.lines():
                self.stdout.write(line)
        if not report.holds:
            sys.exit(1)

    def _verify(
        self,
        *,
        quietly: bool,
        repair: bool,
        project: str | None,
        relationship: str | None,
        everything: bool,
        **options: Any,
    ) -> Report:
        project_id = find_project(project).id if project is not None else None
        relationship_id = _find_relationship(relationship, project_id) if relationship is not None else None
        looked_at = (
            {"id": relationship_id} if relationship_id else {"project_id": project_id} if project_id else {}
        )
        total = Relationship.objects.filter(**looked_at).count()
        with progress_bar("relationships", total=total, quietly=quietly) as advance:
            return verify(
                repair=repair,
                project_id=project_id,
                relationship_id=relationship_id,
                examples=None if everything else EXAMPLES,
                told=advance,
            )


def _find_relationship(wanted: str, project_id: UUID | None) -> UUID:
    """Raises InvalidInput."""
    try:
        found = Relationship.objects.filter(id=UUID(wanted)).values_list("id", "project_id").first()
    except ValueError:
        raise InvalidInput.of("--relationship", "is not an ID: write the UUID of a relationship") from None
    if found is None or (project_id is not None and found[1] != project_id):
        raise InvalidInput.of("--relationship", "there is none with this ID")
    relationship_id: UUID = found[0]
    return relationship_id
