"""Erases a whole project: the tenant, its people, companions and keys. Only the operators' accounts stay."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from relationships.models import AuditEvent, Companion, EndUser, Project, Relationship
from upkeep.erasure.permit import erasing
from upkeep.erasure.relationships import delete_rows, erase_each, erase_owners
from upkeep.erasure.tally import Counts, Erasure, tell
from web.actor import Actor
from web.errors import NotFound

_AT_ONCE = 500


def erase_project(*, project_id: UUID, by: Actor) -> Erasure:
    """Delete a project and everything in it, its audit trail included. Raises NotFound.

    In short transactions, the project's row last: an erasure that was killed is finished by asking for it again.
    """
    projects = Project.objects.filter(id=project_id)
    if not projects.exists():
        raise NotFound("This project is not there.")
    relationships = Relationship.objects.of_project(project_id)
    counts = erase_each(relationships, by)
    counts += _erase_in_batches(EndUser.objects.of_project(project_id), "user_id", by)
    counts += _erase_in_batches(Companion.objects.of_project(project_id), "companion_id", by)
    with erasing():
        counts += erase_owners(projects, relationships, by)
        # The last word on this project is that it was erased; what was told before it goes.
        counts += delete_rows(AuditEvent.objects.filter(project_id=project_id))
        return tell(project_id=project_id, level="project", target_id=project_id, by=by, counts=counts)


def _erase_in_batches(owners: QuerySet[Any, Any], reference: str, by: Actor) -> Counts:
    counts = Counts()
    while batch := list(owners.order_by("id").values_list("id", flat=True)[:_AT_ONCE]):
        relationships = Relationship.objects.filter(**{f"{reference}__in": batch})
        with erasing():
            counts += erase_owners(owners.filter(id__in=batch), relationships, by)
    return counts
