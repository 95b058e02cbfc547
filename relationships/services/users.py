from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from relationships.actor import Actor
from relationships.configuration.merge_patch import merge_patch
from relationships.errors import AlreadyExists
from relationships.models import EndUser
from relationships.services.audit import audit_row
from relationships.services.rows import check_version, require


@transaction.atomic
def create_user(
    *,
    project_id: UUID,
    external_id: str,
    by: Actor,
    display_name: str = "",
    metadata: Mapping[str, Any] | None = None,
    ingestion_paused: bool = False,
) -> EndUser:
    """Raises AlreadyExists."""
    try:
        with transaction.atomic():
            user = EndUser.objects.create(
                project_id=project_id,
                external_id=external_id,
                display_name=display_name,
                metadata=dict(metadata or {}),
                ingestion_paused=ingestion_paused,
            )
    except IntegrityError:
        raise AlreadyExists("A user with this external_id is there already.") from None
    audit_user(user, "user.created", by)
    return user


@transaction.atomic
def change_user(
    *,
    project_id: UUID,
    user_id: UUID,
    changes: Mapping[str, Any],
    by: Actor,
    expected_version: int | None = None,
) -> EndUser:
    """`changes`: display_name, metadata (a merge patch), ingestion_paused. Raises NotFound, StaleVersion."""
    rows = EndUser.objects.of_project(project_id).select_for_update()
    user: EndUser = require(rows.filter(id=user_id), "user")
    check_version(expected=expected_version, current=user.version)
    if "metadata" in changes:
        user.metadata = merge_patch(user.metadata, changes["metadata"])
    user.display_name = changes.get("display_name", user.display_name)
    user.ingestion_paused = changes.get("ingestion_paused", user.ingestion_paused)
    user.version += 1
    user.save(update_fields=["display_name", "metadata", "ingestion_paused", "version", "updated_at"])
    audit_user(user, "user.changed", by, fields=sorted(changes))
    return user


def get_user(*, project_id: UUID, user_id: UUID) -> EndUser:
    """Raises NotFound."""
    user: EndUser = require(EndUser.objects.of_project(project_id).filter(id=user_id), "user")
    return user


def audit_user(user: EndUser, action: str, by: Actor, *, fields: list[str] | None = None) -> None:
    """Which fields changed, never what they say: it is about a person."""
    audit_row(user, action, by, fields=fields or [], version=user.version)
