"""Erase a relationship; or a person, a companion or a project, one relationship after another. Count what would go.

Each relationship is erased in its own transaction, and the row of the person or companion last. So repeating the call
finishes an erasure that was killed; a transaction that the server ends, because it and another wait for each other, is
repeated here. While others create relationships, rounds follow as long as each has fewer to erase. The rest is erased
at the end, under the lock of that row, which prevents further ones.
"""

import math
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Count, Model, QuerySet, Value
from django.utils import timezone

from config.postgresql.sessions import again_after_deadlock
from relationships.models import AuditEvent, Companion, EndUser, Project, Relationship, RelationshipOwned
from upkeep.erasure.allow_erasure import erasing
from upkeep.erasure.counts import Counts, table_name, tell
from web.actor import Actor
from web.errors import NotFound

_AT_ONCE = 500  # IDs that are read before their relationships are erased


def owned_models() -> list[type[Model]]:
    """Every model whose rows belong to a relationship. Found by the base class, so that none is forgotten."""
    return [model for model in apps.get_models() if issubclass(model, RelationshipOwned)]


def erase_relationship(*, project_id: UUID, relationship_id: UUID, by: Actor) -> Counts:
    """Delete a relationship and all it owns. The person and the companion stay. Raises NotFound."""
    counts = _erase_one(project_id, relationship_id, by)
    if counts is None:
        raise NotFound("This relationship does not exist.")
    return counts


def erase_user(*, project_id: UUID, user_id: UUID, by: Actor) -> Counts:
    """Delete a person: all their relationships, then their own row. Raises NotFound."""
    return _erase_owner(EndUser, "user", project_id, user_id, by)


def erase_companion(*, project_id: UUID, companion_id: UUID, by: Actor) -> Counts:
    """Delete a companion: all its relationships, then its prompts and itself. People stay. Raises NotFound."""
    return _erase_owner(Companion, "companion", project_id, companion_id, by)


def _erase_owner(model: Any, level: str, project_id: UUID, owner_id: UUID, by: Actor) -> Counts:
    owner = model.objects.of_project(project_id).filter(id=owner_id)
    if not owner.exists():
        raise NotFound(f"This {level} does not exist.")
    relationships = Relationship.objects.of_project(project_id).filter(**{level: owner_id})
    counts = _erase_in_rounds(relationships, by)
    return _erase_last(
        owner, relationships, by, counts, project_id=project_id, level=level, target_id=owner_id
    )


def erase_project(*, project_id: UUID, by: Actor) -> Counts:
    """Delete a project and everything in it, its audit trail included. Raises NotFound.

    In short transactions, the project's row last: repeating the call finishes an erasure that was killed.
    """
    projects = Project.objects.filter(id=project_id)
    if not projects.exists():
        raise NotFound("This project does not exist.")
    relationships = Relationship.objects.of_project(project_id)
    counts = _erase_in_rounds(relationships, by)
    counts += _erase_in_batches(EndUser.objects.of_project(project_id), "user_id", by)
    counts += _erase_in_batches(Companion.objects.of_project(project_id), "companion_id", by)
    return _erase_last(
        projects, relationships, by, counts, project_id=project_id, level="project", target_id=project_id
    )


@again_after_deadlock
def _erase_last(
    owner: QuerySet[Any, Any],
    relationships: QuerySet[Relationship, Relationship],
    by: Actor,
    before: Counts,
    *,
    project_id: UUID,
    level: str,
    target_id: UUID,
) -> Counts:
    """Delete the row of the person, companion or project itself. `before`: what was erased until now."""
    with erasing():
        counts = before + _erase_owners(owner, relationships, by)
        if level == "project":  # Of the audit trail only the last event stays: that the project was erased.
            counts += _delete_rows(AuditEvent.objects.filter(project_id=project_id))
        return tell(project_id=project_id, level=level, target_id=target_id, by=by, counts=counts)


def _erase_in_rounds(relationships: QuerySet[Relationship, Relationship], by: Actor) -> Counts:
    """Erase these relationships, each round those that were there at its beginning."""
    counts, before = Counts(), math.inf
    while 0 < (there := relationships.count()) < before:
        before = there
        counts += _erase_each(relationships.filter(created_at__lte=timezone.now()), by)
    return counts


def _erase_each(relationships: QuerySet[Relationship, Relationship], by: Actor) -> Counts:
    """Erase these relationships, one transaction each. What others erase meanwhile is not counted."""
    counts = Counts()
    while batch := list(relationships.order_by("id").values_list("project_id", "id")[:_AT_ONCE]):
        for project_id, relationship_id in batch:
            counts += _erase_one(project_id, relationship_id, by) or Counts()
    return counts


@again_after_deadlock
def _erase_owners(
    owners: QuerySet[Any, Any], relationships: QuerySet[Relationship, Relationship], by: Actor
) -> Counts:
    """Delete people or companions, with relationships created meanwhile."""
    with erasing():
        # From here on no relationship of theirs can be created, as its foreign key would wait for this lock.
        list(owners.select_for_update().values_list("id"))
        return _erase_each(relationships, by) + _delete_rows(owners)


def _delete_rows(rows: QuerySet[Any, Any]) -> Counts:
    """Delete rows, with what their foreign keys cascade to."""
    _, by_label = rows.delete()
    return Counts({table_name(apps.get_model(label)): count for label, count in by_label.items()})


def _erase_in_batches(owners: QuerySet[Any, Any], reference: str, by: Actor) -> Counts:
    counts, owners = Counts(), owners.filter(created_at__lte=timezone.now())
    while batch := list(owners.order_by("id").values_list("id", flat=True)[:_AT_ONCE]):
        relationships = Relationship.objects.filter(**{f"{reference}__in": batch})
        counts += _erase_owners(owners.filter(id__in=batch), relationships, by)
    return counts


@again_after_deadlock
def _erase_one(project_id: UUID, relationship_id: UUID, by: Actor) -> Counts | None:
    """Erase one relationship; None if it doesn't exist. A turn that waits for its lock then finds it gone."""
    row = Relationship.objects.of_project(project_id).filter(id=relationship_id)
    with erasing():
        if row.select_for_update().first() is None:
            return None
        counts = Counts()
        for model in reversed(owned_models()):  # what a turn cascades to is counted before it
            counts += _delete_rows(model._base_manager.filter(relationship_id=relationship_id))
        counts += _delete_rows(row)
        return tell(
            project_id=project_id, level="relationship", target_id=relationship_id, by=by, counts=counts
        )


def count_relationships(relationships: QuerySet[Relationship, Relationship]) -> Counts:
    """Count the rows of every table that would be deleted with these relationships, in one statement, without zeros."""
    ids = relationships.order_by().values("id")
    owned = [_count(model, model._base_manager.filter(relationship_id__in=ids)) for model in owned_models()]
    return Counts(dict(_count(Relationship, relationships.order_by()).union(*owned, all=True)))


def _count(model: type[Model], rows: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """A query for the table's name and number of rows; no row if it has none."""
    named: QuerySet[Any, Any] = rows.order_by().annotate(table=Value(table_name(model)))
    counted: QuerySet[Any, Any] = named.values("table").annotate(count=Count("*"))
    return counted.values_list("table", "count")


def count_user(user: EndUser) -> Counts:
    """Count the rows of every table that would be deleted with a person."""
    theirs = Relationship.objects.of_project(user.project_id).filter(user_id=user.id)
    return count_relationships(theirs) + Counts({table_name(EndUser): 1})
