from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from relationships.models import EndUser
from relationships.services.audit import audit_row
from relationships.services.rows import change_row, require
from web.actor import Actor
from web.errors import AlreadyExists


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
        raise _taken() from None
    audit_row(user, "user.created", by, fields=[], version=user.version)
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
    """`changes`: external_id, display_name, metadata (a merge patch), ingestion_paused. Raises NotFound, StaleVersion,
    AlreadyExists.
    """
    user = get_user(project_id=project_id, user_id=user_id, lock=True)
    fields = ("external_id", "display_name", "metadata", "ingestion_paused")
    try:
        with transaction.atomic():
            change_row(user, "user", changes, fields=fields, by=by, expected_version=expected_version)
    except IntegrityError:
        raise _taken() from None
    return user


def get_user(*, project_id: UUID, user_id: UUID, lock: bool = False) -> EndUser:
    """Raises NotFound."""
    rows = EndUser.objects.of_project(project_id)
    user: EndUser = require((rows.select_for_update() if lock else rows).filter(id=user_id), "user")
    return user


def _taken() -> AlreadyExists:
    return AlreadyExists("A user with this external_id already exists: change that one, or take another ID.")
