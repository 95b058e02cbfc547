"""Erases a relationship; a person or a companion, relationship after relationship.

Each relationship goes in a transaction of its own, and the row of the person or companion last. So an erasure that
was killed is finished by asking for it again. A relationship that is made meanwhile is caught at the end, under the
lock of that row, which no new relationship can get past.
"""

from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Model, QuerySet

from relationships.models import Companion, EndUser, Relationship, RelationshipOwned
from upkeep.erasure.permit import erasing
from upkeep.erasure.tally import Counts, Erasure, table_name, tell
from web.actor import Actor
from web.errors import NotFound

_AT_ONCE = 500  # how many IDs are read before their relationships are erased


def owned_models() -> list[type[Model]]:
    """Every table whose rows belong to a relationship: found by their base, so that a new one is never forgotten."""
    return [model for model in apps.get_models() if issubclass(model, RelationshipOwned)]


def erase_relationship(*, project_id: UUID, relationship_id: UUID, by: Actor) -> Erasure:
    """Delete a relationship and all it owns. The person and the companion stay. Raises NotFound."""
    erasure = _erase_one(project_id, relationship_id, by)
    if erasure is None:
        raise NotFound("This relationship is not there.")
    return erasure


def erase_user(*, project_id: UUID, user_id: UUID, by: Actor) -> Erasure:
    """Delete a person: all their relationships, then what is known of them outside. Raises NotFound."""
    people = EndUser.objects.of_project(project_id).filter(id=user_id)
    if not people.exists():
        raise NotFound("This user is not there.")
    theirs = Relationship.objects.of_project(project_id).filter(user_id=user_id)
    counts = erase_each(theirs, by)
    with erasing():
        counts += erase_owners(people, theirs, by)
        return tell(project_id=project_id, level="user", target_id=user_id, by=by, counts=counts)


def erase_companion(*, project_id: UUID, companion_id: UUID, by: Actor) -> Erasure:
    """Delete a companion: all its relationships, then its prompts and itself. People stay. Raises NotFound."""
    companions = Companion.objects.of_project(project_id).filter(id=companion_id)
    if not companions.exists():
        raise NotFound("This companion is not there.")
    its = Relationship.objects.of_project(project_id).filter(companion_id=companion_id)
    counts = erase_each(its, by)
    with erasing():
        counts += erase_owners(companions, its, by)
        return tell(project_id=project_id, level="companion", target_id=companion_id, by=by, counts=counts)


def erase_each(relationships: QuerySet[Relationship, Relationship], by: Actor) -> Counts:
    """Erase these relationships, a transaction each; what somebody else erases meanwhile is theirs to count."""
    counts = Counts()
    while batch := list(relationships.order_by("id").values_list("project_id", "id")[:_AT_ONCE]):
        for project_id, relationship_id in batch:
            erasure = _erase_one(project_id, relationship_id, by)
            counts.update(erasure.counts if erasure else {})
    return counts


def erase_owners(
    owners: QuerySet[Any, Any], relationships: QuerySet[Relationship, Relationship], by: Actor
) -> Counts:
    """Delete people or companions whose relationships are gone, and those made since. Inside `erasing`."""
    # From here on no relationship of theirs can be made: its foreign key would have to get past this lock.
    list(owners.select_for_update().values_list("id"))
    return erase_each(relationships, by) + delete_rows(owners)


def delete_rows(rows: QuerySet[Any, Any]) -> Counts:
    """Delete rows, with all that hangs on them by a foreign key that cascades."""
    _, by_label = rows.delete()
    return Counts({table_name(apps.get_model(label)): count for label, count in by_label.items()})


def _erase_one(project_id: UUID, relationship_id: UUID, by: Actor) -> Erasure | None:
    """None when it is not there. Whoever waited for the row's lock, a turn coming in, finds nothing to add to."""
    row = Relationship.objects.of_project(project_id).filter(id=relationship_id)
    with erasing():
        if row.select_for_update().first() is None:
            return None
        counts = Counts()
        for model in reversed(owned_models()):  # what a turn takes along is counted before it
            counts += delete_rows(model._base_manager.filter(relationship_id=relationship_id))
        counts += delete_rows(row)
        return tell(
            project_id=project_id, level="relationship", target_id=relationship_id, by=by, counts=counts
        )
