from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from config.rates import HINT, LIMITS, Rates, parse_rate
from relationships.models import ApiKey, RelationshipToken, Scope
from relationships.services.audit import audit_row
from relationships.services.rows import require
from web.actor import Actor
from web.errors import InvalidInput
from web.secrets import new_key, secret_hash

Written = Mapping[str, str | None]  # rates by limit, written as in the settings; None: the settings' own


@transaction.atomic
def create_api_key(
    *, project_id: UUID, name: str, scopes: Iterable[str], by: Actor, rate_limits: Written | None = None
) -> tuple[ApiKey, str]:
    """Return the key's row and the key itself, which can't be recovered later. Raises InvalidInput."""
    wanted = sorted(set(scopes))
    if not wanted or any(scope not in Scope.values for scope in wanted):
        raise InvalidInput.of("scopes", f"name one or more of {', '.join(Scope.values)}")
    own = _merged({}, rate_limits or {}, may_raise=False)
    prefix, key = new_key()
    row = ApiKey.objects.create(
        project_id=project_id,
        name=name,
        prefix=prefix,
        key_hash=secret_hash(key),
        scopes=wanted,
        rate_limits=own,
    )
    audit_row(row, "api_key.created", by, prefix=prefix, scopes=wanted, rate_limits=own)
    return row, key


@transaction.atomic
def change_rate_limits(
    *, project_id: UUID, key_id: UUID, changes: Written, by: Actor, may_raise: bool = False
) -> ApiKey:
    """Give a key limits of its own. Only whoever runs the service `may_raise` them above the settings'.

    Raises NotFound, InvalidInput.
    """
    rows = ApiKey.objects.select_for_update()
    row: ApiKey = require(rows.filter(project_id=project_id, id=key_id), "API key")
    row.rate_limits = _merged(row.rate_limits, changes, may_raise=may_raise)
    row.save(update_fields=["rate_limits"])
    audit_row(row, "api_key.changed", by, rate_limits=row.rate_limits)
    return row


@transaction.atomic
def revoke_api_key(*, project_id: UUID, key_id: UUID, by: Actor) -> None:
    """Make the key and the tokens that it made useless. Its row stays, so that the audit trail can still name it.

    Raises NotFound.
    """
    keys, now = ApiKey.objects.filter(project_id=project_id, id=key_id), datetime.now(UTC)
    row = require(keys, "API key")
    if keys.filter(revoked_at=None).update(revoked_at=now):
        made = RelationshipToken.objects.filter(project_id=project_id, key_prefix=row.prefix)
        tokens = made.filter(revoked_at=None, expires_at__gt=now).update(revoked_at=now)
        audit_row(row, "api_key.revoked", by, tokens=tokens)


def _merged(own: Mapping[str, str], changes: Written, *, may_raise: bool) -> dict[str, str]:
    """A key's own limits after `changes`. Raises InvalidInput."""
    for name, written in changes.items():
        if name not in LIMITS:
            raise InvalidInput.of(f"rate_limits.{name}", f"is not a limit; known: {', '.join(LIMITS)}")
        if written not in (None, own.get(name)):
            _check(name, written, may_raise=may_raise)
    merged = {**own, **changes}
    return {name: written for name in LIMITS if (written := merged.get(name)) is not None}


def _check(name: str, written: str, *, may_raise: bool) -> None:
    installation: Rates = settings.KEY_RATES
    most = installation.get(name)
    try:
        rate = parse_rate(written)
    except ValueError:
        raise InvalidInput.of(f"rate_limits.{name}", HINT) from None
    if not may_raise and most is not None and (rate is None or rate.exceeds(most)):
        raise InvalidInput.of(
            f"rate_limits.{name}",
            f"is more than keys may have here, {most}; the service's operator can set it: manage.py limit_api_key",
        )
