"""manage.py create_project NAME [--key]: a new project, and with --key one that may do everything in it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from relationships.management.projects import written_name
from relationships.models import Project, Scope
from relationships.services.api_keys import create_api_key
from relationships.services.projects import create_project
from web.actor import Actor
from web.management.base import ServiceCommand

BY = Actor.policy("manage.py create_project")


class Command(ServiceCommand):
    help = "Create a project: a companion developer's own space."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", type=written_name, help="what to call it, up to 200 characters")
        parser.add_argument(
            "--key", action="store_true", help="create an API key with all scopes, and show it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if there := Project.objects.filter(name=options["name"]).first():
            told = f"the project {there.id} has this name already; for another key: manage.py create_api_key {there.id}"
            raise CommandError(f"name: {told}")
        project = create_project(name=options["name"], by=BY)
        self.stdout.write(f"Project {project.name}: {project.id}")
        if options["key"]:
            _, key = create_api_key(
                project_id=project.id, name="First key", scopes=[Scope.ADMIN.value], by=BY
            )
            self.stdout.write(f"API key (shown this once): {key}")
