from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from relationships.models import Project
from relationships.services.audit import audit_row
from relationships.services.rows import change_row, require
from web.actor import Actor


@transaction.atomic
def create_project(*, name: str, by: Actor) -> Project:
    project = Project.objects.create(name=name)
    audit_row(project, "project.created", by)
    return project


@transaction.atomic
def change_project(
    *,
    project_id: UUID,
    changes: Mapping[str, Any],
    by: Actor,
    expected_version: int | None = None,
    merge: bool = True,
) -> Project:
    """`changes`: name, config (a merge patch; without `merge`, the whole level).

    Raises NotFound, StaleVersion, InvalidConfiguration.
    """
    project: Project = require(Project.objects.select_for_update().filter(id=project_id), "project")
    fields = ("name", "config")
    sent: dict[str, Any] = {"by": by, "expected_version": expected_version, "merge": merge}
    change_row(project, "project", changes, fields=fields, **sent)
    return project
