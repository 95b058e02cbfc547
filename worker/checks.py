"""What can be wrong about the settings of the queue.

memory.E004  a lease would end before a call to a model does
memory.W002  behind a pooler no worker is notified of work
"""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register


@register("settings")
def check_leases(**_: Any) -> list[CheckMessage]:
    """A lease is renewed while a call runs, but it has to outlast the call if the database is away meanwhile."""
    call, lease = settings.CALL_SECONDS, settings.LEASE_SECONDS
    if lease >= call:
        return []
    problem = (
        f"RAPPORT_LEASE_SECONDS is {lease:g}, less than the {call:g} seconds that a call may take "
        "(RAPPORT_PROVIDER_DEADLINE and RAPPORT_EMBEDDING_DEADLINE; where one is 0, twice its timeout)."
    )
    hint = "Raise it, or give calls less time: a call that outlives it would be made and paid again."
    return [Error(problem, hint=hint, id="memory.E004")]


@register("settings")
def check_listening(**_: Any) -> list[CheckMessage]:
    """Prepared statements are turned off behind a pooler that shares sessions, but LISTEN needs its own session."""
    pooled = "prepare_threshold" not in settings.DATABASES["default"]["OPTIONS"]
    if not pooled or settings.DATABASE_DIRECT_URL:
        return []
    hint = "Set DATABASE_DIRECT_URL to an address past the pooler (docs/how-to/use-your-own-postgresql.md)."
    problem = "RAPPORT_PREPARED_STATEMENTS is off: through a pooler workers find work up to 2 s late."
    return [Warning(problem, hint=hint, id="memory.W002")]
