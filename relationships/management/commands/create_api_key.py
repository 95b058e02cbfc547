"""manage.py create_api_key PROJECT [--name ...] [--scopes read,write]: a key, shown once."""

from argparse import ArgumentParser
from typing import Any

from relationships.management.projects import find_project, written_name
from relationships.models import Scope
from relationships.services.api_keys import create_api_key
from web.actor import Actor
from web.management.base import ServiceCommand

BY = Actor.policy("manage.py create_api_key")


class Command(ServiceCommand):
    help = "Create an API key for a project. It is shown only once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="its ID, or its name if only one project has it")
        parser.add_argument(
            "--name", type=written_name, default="From the command line", help="what the key is for"
        )
        parser.add_argument("--scopes", default="write", help=f"one or more of {','.join(Scope.values)}")

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = [scope.strip() for scope in options["scopes"].split(",") if scope.strip()]
        project = find_project(options["project"], option="project")
        row, key = create_api_key(project_id=project.id, name=options["name"], scopes=scopes, by=BY)
        self.stdout.write(f"API key of {project.name}, {', '.join(row.scopes)} (shown this once): {key}")
