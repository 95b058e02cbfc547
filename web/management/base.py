from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.errors import RapportError


class ServiceCommand(BaseCommand):
    """A command that says in one line, without a traceback, what a service of ours refuses."""

    requires_system_checks = ("settings", "security")  # the others load every page, and look at code

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except RapportError as error:
            raise CommandError(str(error)) from error
