"""manage.py recipes [NAME]: the recipes a companion can pick, or all that one of them sets."""

import json
import textwrap
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from relationships.configuration.plugins import load
from web.management.base import ServiceCommand

WIDTH = 100


class Command(ServiceCommand):
    help = "List the recipes with what each does and costs; with a name, show the values that it sets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="a recipe, to see the values it sets")

    def handle(self, *args: Any, name: str | None, **options: Any) -> None:
        if name is not None and name not in settings.RECIPES:
            raise CommandError(f"There is no recipe {name!r}; known: {', '.join(settings.RECIPES)}.")
        for slug in [name] if name is not None else settings.RECIPES:
            self._show(slug, load("RECIPES", slug))
        if name is not None:
            self.stdout.write(json.dumps(load("RECIPES", name)["config"], indent=2))
            return
        self.stdout.write(
            'A companion chooses one with {"config": {"recipe": NAME}} and may override any value.'
        )

    def _show(self, slug: str, recipe: dict[str, Any]) -> None:
        self.stdout.write(self.style.MIGRATE_HEADING(slug))
        for label, text in (
            ("", recipe.get("description", "")),
            ("a turn costs: ", recipe.get("cost", "")),
            ("after: ", recipe.get("after", "")),
        ):
            if text:
                shown = textwrap.fill(f"{label}{text}", WIDTH, initial_indent="  ", subsequent_indent="    ")
                self.stdout.write(shown)
        self.stdout.write("")
