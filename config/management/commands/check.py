from typing import Any

from django.core.management.commands import check

from config.database import connections_in_all


class Command(check.Command):
    def handle(self, *app_labels: Any, **options: Any) -> None:
        super().handle(*app_labels, **options)
        web, worker = connections_in_all()
        self.stdout.write(
            f"Database connections at most: {web} of the web processes and {worker} of a worker "
            "(RAPPORT_DATABASE_POOL)."
        )
