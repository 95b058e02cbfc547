from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from relationships.actor import Actor
from relationships.configuration.merge_patch import merge_patch
from relationships.models import Project
from relationships.services.audit import audit_row
from relationships.services.configuration import check_level
from relationships.services.rows import check_version, require


@transaction.atomic
def create_project(*, name: str, by: Actor) -> Project:
    project = Project.objects.create(name=name)
    audit_row(project, "project.created", by)
    return project


@transaction.atomic
def change_project(
    *, project_id: UUID, changes: Mapping[str, Any], by: Actor, expected_version: int | None = None
) -> Project:
    """`changes`: name, config (a merge patch). Raises NotFound, StaleVersion, InvalidConfiguration."""
    project: Project = require(Project.objects.select_for_update().filter(id=project_id), "project")
    check_version(expected=expected_version, current=project.version)
    if "config" in changes:
        project.config = merge_patch(project.config, changes["config"])
        check_level(project.config)
    project.name = changes.get("name", project.name)
    project.version += 1
    project.save(update_fields=["name", "config", "version"])
    audit_row(project, "project.changed", by, fields=sorted(changes), version=project.version)
    return project
