from argparse import ArgumentParser
from typing import Any

from django.db.models import QuerySet
from django.template.defaultfilters import pluralize

from config.management.progress import progress_bar
from memory.retrieval.index.backfill import rebuild_index
from relationships.management.projects import find_project, require_companion
from relationships.models import Relationship
from web.errors import InvalidInput
from web.management.base import ServiceCommand


class Command(ServiceCommand):
    help = "Rewrite the index of texts in the language that the configuration now names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--companion", metavar="SLUG_OR_ID", help="only its relationships")
        parser.add_argument(
            "--project", metavar="NAME_OR_ID", help="only its relationships; or the project of the companion"
        )
        parser.add_argument("--all", action="store_true", dest="everything", help="every relationship")

    def handle(self, *, companion: str | None, project: str | None, everything: bool, **options: Any) -> None:
        relationships = _relationships(companion, project, everything)
        rows = 0
        with progress_bar("relationships", total=relationships.count()) as advance:
            for relationship_id in relationships.order_by("id").values_list("id", flat=True).iterator():
                rows += rebuild_index(relationship_id)
                advance()
        self.stdout.write(f"{rows} text{pluralize(rows, ' is,s are')} indexed.")


def _relationships(
    companion: str | None, project: str | None, everything: bool
) -> QuerySet[Relationship, Relationship]:
    """Raises InvalidInput."""
    if everything:
        if companion or project:
            raise InvalidInput.of("--all", "can't be combined with --companion and --project")
        return Relationship.objects.all()
    if companion is None and project is None:
        raise InvalidInput.of("--all", "give --companion, --project, or --all")
    owner = find_project(project)
    relationships = Relationship.objects.of_project(owner.id)
    if companion is None:
        return relationships
    return relationships.filter(companion=require_companion(owner, companion))
