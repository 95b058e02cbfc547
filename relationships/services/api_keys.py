from collections.abc import Iterable
from datetime import UTC, datetime
from uuid import UUID

from django.db import transaction

from relationships.actor import Actor
from relationships.errors import InvalidInput, NotFound
from relationships.models import ApiKey, Scope
from relationships.services.audit import record_audit
from relationships.services.secrets import new_key, secret_hash


@transaction.atomic
def create_api_key(*, project_id: UUID, name: str, scopes: Iterable[str], by: Actor) -> tuple[ApiKey, str]:
    """The key's row and the key itself, which is shown once and can't be had again. Raises InvalidInput."""
    wanted = sorted(set(scopes))
    if not wanted or any(scope not in Scope.values for scope in wanted):
        raise InvalidInput.of("scopes", f"name one or more of {', '.join(Scope.values)}")
    prefix, key = new_key()
    row = ApiKey.objects.create(
        project_id=project_id, name=name, prefix=prefix, key_hash=secret_hash(key), scopes=wanted
    )
    record_audit(
        project_id=project_id,
        action="api_key.created",
        target_kind="api_key",
        target_id=row.id,
        by=by,
        detail={"prefix": prefix, "scopes": wanted},
    )
    return row, key


@transaction.atomic
def revoke_api_key(*, project_id: UUID, key_id: UUID, by: Actor) -> None:
    """It opens nothing from now on; the row stays, so that what it did can be told. Raises NotFound."""
    keys = ApiKey.objects.filter(project_id=project_id, id=key_id)
    if not keys.exists():
        raise NotFound("This API key is not there.")
    if keys.filter(revoked_at=None).update(revoked_at=datetime.now(UTC)):
        record_audit(
            project_id=project_id, action="api_key.revoked", target_kind="api_key", target_id=key_id, by=by
        )
