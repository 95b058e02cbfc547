from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from relationships.configuration.merge_patch import merge_patch
from relationships.models import Companion
from relationships.same_json import same_json
from relationships.services.audit import audit_row
from relationships.services.configuration import check_level
from relationships.services.rows import change_row, check_version, require, save_version
from web.actor import Actor
from web.errors import AlreadyExists

FIELDS = ("slug", "name", "config")
TAKEN = "A companion with this slug already exists: change that one, or take another slug."


@transaction.atomic
def create_companion(
    *, project_id: UUID, slug: str, name: str, by: Actor, config: Mapping[str, Any] | None = None
) -> Companion:
    """Raises AlreadyExists, InvalidConfiguration."""
    check_level(config or {})
    try:
        with transaction.atomic():
            companion = Companion.objects.create(
                project_id=project_id, slug=slug, name=name, config=dict(config or {})
            )
    except IntegrityError:
        raise AlreadyExists(TAKEN) from None
    audit_row(
        companion, "companion.created", by, fields=["config", "name", "slug"], version=companion.version
    )
    return companion


@transaction.atomic
def change_companion(
    *,
    project_id: UUID,
    companion_id: UUID,
    changes: Mapping[str, Any],
    by: Actor,
    expected_version: int | None = None,
) -> Companion:
    """`changes`: slug, name, config (a merge patch).

    Raises NotFound, StaleVersion, AlreadyExists, InvalidConfiguration.
    """
    companion = get_companion(project_id=project_id, companion_id=companion_id, lock=True)
    try:
        with transaction.atomic():
            change_row(
                companion, "companion", changes, fields=FIELDS, by=by, expected_version=expected_version
            )
    except IntegrityError:
        raise AlreadyExists(TAKEN) from None
    return companion


@transaction.atomic
def write_companion_config(
    *,
    project_id: UUID,
    companion_id: UUID,
    config: Mapping[str, Any],
    merge: bool,
    by: Actor,
    expected_version: int | None = None,
) -> Companion:
    """Replace the companion's own level, or with `merge` patch it (RFC 7396).

    Raises NotFound, StaleVersion, InvalidConfiguration.
    """
    companion = get_companion(project_id=project_id, companion_id=companion_id, lock=True)
    check_version(expected=expected_version, current=companion.version)
    before = companion.config
    companion.config = merge_patch(before, config) if merge else dict(config)
    check_level(companion.config, inside="")
    if not same_json(companion.config, before):
        save_version(companion, "companion", fields=["config"], changed=["config"], by=by)
    return companion


def get_companion(*, project_id: UUID, companion_id: UUID, lock: bool = False) -> Companion:
    """Raises NotFound."""
    rows = Companion.objects.of_project(project_id)
    rows = (rows.select_for_update() if lock else rows).filter(id=companion_id)
    companion: Companion = require(rows, "companion")
    return companion


def find_companion(*, project_id: UUID, slug_or_id: str) -> Companion | None:
    """The project's companion with that slug or ID."""
    return Companion.objects.of_project(project_id).filter(named(slug_or_id)).first()


def named(slug_or_id: str, *, prefix: str = "") -> Q:
    """The condition that a companion has this slug or ID. `prefix`, such as `companion__`, leads to it."""
    by_slug = Q(**{f"{prefix}slug": slug_or_id})
    try:
        return by_slug | Q(**{f"{prefix}id": UUID(slug_or_id)})
    except ValueError:
        return by_slug
