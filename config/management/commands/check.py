from typing import Any

from django.core.management.commands import check

from config.database import connections_in_all


class Command(check.Command):
    def handle(self, *labels: str, **options: Any) -> None:
        super().handle(*labels, **options)
        web, worker = connections_in_all()
        self.stdout.write(
            f"Database connections at most: {web} of the web server and {worker} of a worker (RAPPORT_DATABASE_POOL)."
        )
