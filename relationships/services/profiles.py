"""The profile: the developer's own JSON about a person, with every version kept."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from relationships.configuration.json_schemas import refuse_misshapen
from relationships.configuration.merge_patch import merge_patch
from relationships.ids import uuid7
from relationships.models import Profile, ProfileRevision, Relationship
from relationships.same_json import same_json
from relationships.services.audit import audit_row
from relationships.services.configuration import configuration_of
from relationships.services.limits import document_fault
from relationships.services.rows import check_version, require_lock
from relationships.services.snapshots import write_section
from web.actor import Actor
from web.errors import TooMuch


def read_profile(relationship_id: UUID) -> tuple[dict[str, Any], int]:
    """The profile and its version; {} and 0 if nothing was written yet."""
    row = Profile.objects.for_relationship(relationship_id).values_list("data", "version").first()
    return row or ({}, 0)


def replace_profile(
    *, relationship: Relationship, data: dict[str, Any], by: Actor, expected_version: int | None = None
) -> tuple[dict[str, Any], int]:
    """Write the profile; return it with its version. Raises StaleVersion, TooMuch, InvalidInput, NotFound."""
    return _change(relationship, lambda current: data, by, expected_version)


def patch_profile(
    *, relationship: Relationship, patch: dict[str, Any], by: Actor, expected_version: int | None = None
) -> tuple[dict[str, Any], int]:
    """Like `replace_profile`, but merge `patch` into the present profile (RFC 7396)."""
    return _change(relationship, lambda current: merge_patch(current, patch), by, expected_version)


@transaction.atomic
def _change(
    relationship: Relationship,
    change: Callable[[dict[str, Any]], dict[str, Any]],
    by: Actor,
    expected_version: int | None,
) -> tuple[dict[str, Any], int]:
    require_lock(relationship.id)
    current, version = read_profile(relationship.id)
    check_version(expected=expected_version, current=version)
    data = change(current)
    if version and same_json(data, current):
        return current, version
    if fault := document_fault(data):
        raise TooMuch(f"The profile {fault}.", limit=settings.MAX_PROFILE_BYTES)
    refuse_misshapen(configuration_of(relationship).values.profile.json_schema, data, whole="profile")
    version += 1
    own: dict[str, Any] = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    rows = Profile.objects.for_relationship(relationship.id)
    if not rows.update(data=data, version=version, updated_at=datetime.now(UTC)):
        Profile.objects.create(**own, id=uuid7(), data=data, version=version)
    ProfileRevision.objects.create(
        **own, id=uuid7(), version=version, data=data, actor_kind=by.kind, actor_id=by.id
    )
    write_section(**own, section="profile", value=data)
    audit_row(relationship, "profile.changed", by, version=version)
    return data, version
