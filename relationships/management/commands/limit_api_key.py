"""manage.py limit_api_key KEY [LIMIT=RATE ...]: how often one key may ask, above the settings' limits too."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError

from config.rates import HINT, LIMITS, Rates
from relationships.models import ApiKey
from relationships.services.api_keys import change_rate_limits
from web.actor import Actor
from web.management.base import ServiceCommand

BY = Actor.policy("manage.py limit_api_key")


class Command(ServiceCommand):
    help = "Show the limits of an API key, or give it limits of its own. They apply from its next request on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", help="how it begins (rk_ and eight characters), or its ID")
        parser.add_argument(
            "limits",
            nargs="*",
            metavar="LIMIT=RATE",
            help=f"LIMIT: {', '.join(LIMITS)}. RATE: 600/minute (or /second, /hour, /day), off, or default",
        )

    def handle(self, *args: Any, key: str, limits: list[str], **options: Any) -> None:
        found = _find(key)
        if limits:
            changes = dict(map(_change, limits))
            found = change_rate_limits(
                project_id=found.project_id, key_id=found.id, changes=changes, by=BY, may_raise=True
            )
        installation: Rates = settings.KEY_RATES
        for name in LIMITS:
            own = found.rate_limits.get(name)
            self.stdout.write(f"{name}: {own or installation[name] or 'off'}{' (its own)' if own else ''}")


def _find(named: str) -> ApiKey:
    try:
        found = ApiKey.objects.filter(id=UUID(named)).first()
    except ValueError:
        found = ApiKey.objects.filter(prefix=named[:11]).first()
    if found is None:
        raise CommandError(f"There is no key {named[:11]!r}. The admin UI and GET /v1/api-keys list them.")
    return found


def _change(written: str) -> tuple[str, str | None]:
    name, _, rate = written.partition("=")
    if not rate:
        raise CommandError(f"{written!r} is not LIMIT=RATE: {HINT}, or default.")
    return name, None if rate == "default" else rate
