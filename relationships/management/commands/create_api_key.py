"""manage.py create_api_key PROJECT [--name ...] [--scopes read,write]: a key, shown once."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from relationships.models import Project, Scope
from relationships.services.api_keys import create_api_key
from web.actor import Actor
from web.errors import InvalidInput

BY = Actor.policy("manage.py create_api_key")


class Command(BaseCommand):
    help = "Make an API key of a project. It is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="its ID, or its name where only one project has it")
        parser.add_argument("--name", default="From the command line", help="what the key is for")
        parser.add_argument("--scopes", default="write", help=f"one or more of {','.join(Scope.values)}")

    def handle(self, *args: Any, **options: Any) -> None:
        project = _find_project(options["project"])
        scopes = [scope.strip() for scope in options["scopes"].split(",") if scope.strip()]
        try:
            row, key = create_api_key(project_id=project.id, name=options["name"][:200], scopes=scopes, by=BY)
        except InvalidInput as error:
            raise CommandError(error.detail) from None
        self.stdout.write(f"API key of {project.name}, {', '.join(row.scopes)} (shown this once): {key}")


def _find_project(named: str) -> Project:
    try:
        found = list(Project.objects.filter(id=UUID(named)))
    except ValueError:
        found = list(Project.objects.filter(name=named).order_by("created_at"))
    if not found:
        raise CommandError(f"There is no project {named!r}. Make one: manage.py create_project NAME")
    if len(found) > 1:
        ids = ", ".join(str(project.id) for project in found)
        raise CommandError(f"{len(found)} projects are called {named!r}; name one by its ID: {ids}")
    return found[0]
