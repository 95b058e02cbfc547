from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS

from config.postgresql.sessions import direct_connection
from config.postgresql.unusable import other_schema

LOCK = 0x6D696772  # any number that nothing else locks
# Limits that a server may set, and that neither a wait for others nor a long migration keeps to.
_NO_LIMITS = "".join(
    f"SET LOCAL {limit} = 0;"
    for limit in ("idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout")
)


class Command(migrate.Command):
    requires_system_checks = ("settings", "security", "database")  # the others load every page and check code

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Wait for another `migrate`, as machines that start together may each run one. Say so if the schema is not
        this version's all the same.
        """
        # A lock of a transaction, which even a pooler that shares sessions leaves alone.
        with direct_connection() as session, session.transaction():
            session.execute(_NO_LIMITS)
            session.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            super().handle(*arguments, **options)
        if options["database"] == DEFAULT_DB_ALIAS and (said := other_schema()):
            self.stderr.write(self.style.WARNING(said))
