from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from config.postgresql.rows import columns_of, take_instance
from config.postgresql.sessions import prepared_cursor
from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, Project, Relationship
from relationships.same_json import same_json
from relationships.services.audit import audit_row
from relationships.services.companions import find_companion
from relationships.services.configuration import check_level
from relationships.services.rows import change_row, require
from relationships.services.users import change_user
from web.actor import Actor
from web.authentication import KEY_STILL_HOLDS, KeyChanged, RememberedKey
from web.errors import InvalidInput

# Runs before every reply, so it is prepared once per connection. It has no condition on the other tables: until the
# database has counted their rows, it could begin there, with all of a project's.
_FIND = f"""
SELECT {{key_holds}}, {columns_of(Relationship, "r")}, {columns_of(Companion, "c")}, {columns_of(EndUser, "u")},
       {columns_of(Project, "p")}
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_enduser u ON u.id = r.user_id
  JOIN relationships_project p ON p.id = r.project_id
 WHERE r.id = %(relationship)s AND r.project_id = %(project)s
"""  # noqa: S608 - our own column names
_BY_ID = {
    rereads: _FIND.format(key_holds=KEY_STILL_HOLDS if rereads else "true") for rereads in (True, False)
}
# Of tables that every node of a distributed database has; the relationship's own is found by its ID alone.
_PAIR = """
SELECT c.id, u.id FROM relationships_companion c JOIN relationships_enduser u ON u.project_id = c.project_id
 WHERE c.project_id = %(project)s AND c.slug = %(companion)s AND u.external_id = %(user)s
"""

# Called when a relationship's configuration or time zone was changed, in the same transaction and under its row lock.
relationship_listeners: list[Callable[[Relationship], None]] = []


def find_relationship(
    project_id: UUID,
    *,
    companion: str,
    user: str = "",
    relationship: UUID | None = None,
    key: RememberedKey | None = None,
) -> Relationship | None:
    """Find a relationship by companion slug and user's external ID, or by ID; with its companion, user and project.

    By ID in one statement, else in two.

    If the API key was only taken from the cache, pass it as `key` to check it in the same statement.
    Raises KeyChanged, also if no relationship is found, as the key can't be checked then.
    """
    told: dict[str, Any] = {"project": project_id, "companion": companion, "user": user}
    with prepared_cursor() as cursor:
        row = None
        if relationship is None:
            pair = cursor.execute(_PAIR, told).fetchone()
            relationship = relationship_id(*pair) if pair else None
        if relationship is not None:
            told |= {"relationship": relationship, **({} if key is None else key.asked())}
            row = cursor.execute(_BY_ID[key is not None], told).fetchone()
    if key is not None and (row is None or not row[0]):
        raise KeyChanged("This key was changed.")
    if row is None:
        return None
    values = iter(row[1:])
    found = take_instance(Relationship, values)
    found.companion, found.user = take_instance(Companion, values), take_instance(EndUser, values)
    found.project = take_instance(Project, values)
    return found if found.companion.slug == companion else None


def get_or_create_relationship(
    *,
    project_id: UUID,
    companion: str,
    user: str,
    by: Actor,
    display_name: str = "",
    timezone: str = "UTC",
    config: Mapping[str, Any] | None = None,
) -> tuple[Relationship, bool]:
    """Return the relationship of a companion (slug or ID) and a user (external_id), and whether it was created now.

    The user is created too if necessary. What exists already is left unchanged, whatever else was sent.
    Raises InvalidInput for an unknown companion, InvalidConfiguration.
    """
    check_level(config or {})
    if found := find_relationship(project_id, companion=companion, user=user):  # by slug, as in most calls
        return found, False
    values = {"timezone": timezone, "config": dict(config or {})}
    return _get_or_create(project_id, companion, user, display_name, values, by)


@transaction.atomic
def _get_or_create(
    project_id: UUID, companion: str, user: str, display_name: str, values: Mapping[str, Any], by: Actor
) -> tuple[Relationship, bool]:
    """Safe to call at the same time: the ID is derived from the pair, so the primary key allows only one."""
    persona = find_companion(project_id=project_id, slug_or_id=companion)
    if persona is None:
        raise InvalidInput.of("companion", "there is no companion with this slug or ID in your project")
    person = _get_or_create_user(project_id, user, display_name, by)
    found, created = Relationship.objects.get_or_create(
        id=relationship_id(persona.id, person.id),
        defaults={"project_id": project_id, "companion": persona, "user": person, **values},
    )
    # spare callers the queries for them
    found.companion, found.user = persona, person
    if created:
        audit_row(found, "relationship.created", by, fields=[], version=found.version)
    return found, created


@transaction.atomic
def take_up_relationship(
    *, project_id: UUID, companion: str, user: str, said: Mapping[str, Any], by: Actor
) -> tuple[Relationship, bool, list[str]]:
    """Like `get_or_create_relationship`, but update the display_name and timezone from `said`.

    An existing configuration is kept, as an operator may have changed it. The list names what was kept although `said`
    differs. Raises InvalidInput, InvalidConfiguration.
    """
    found, created = get_or_create_relationship(
        project_id=project_id, companion=companion, user=user, by=by, **said
    )
    person = found.user
    if said.get("display_name", person.display_name) != person.display_name:
        named = {"display_name": said["display_name"]}
        person = change_user(project_id=project_id, user_id=person.id, changes=named, by=by)
    if said.get("timezone", found.timezone) != found.timezone:
        moved = {"timezone": said["timezone"]}
        found = change_relationship(project_id=project_id, relationship_id=found.id, changes=moved, by=by)
    found.user = person
    kept = [] if same_json(said.get("config", found.config), found.config) else ["config"]
    return found, created, kept


@transaction.atomic
def change_relationship(
    *,
    project_id: UUID,
    relationship_id: UUID,
    changes: Mapping[str, Any],
    by: Actor,
    expected_version: int | None = None,
    merge: bool = True,
) -> Relationship:
    """`changes`: timezone, config (a merge patch; without `merge`, the whole level).

    Raises NotFound, StaleVersion, InvalidConfiguration.
    """
    rows = Relationship.objects.of_project(project_id).filter(id=relationship_id)
    locked = rows.select_for_update(of=("self",)).select_related("companion", "user")
    found: Relationship = require(locked, "relationship")
    fields, before = ("config", "timezone"), found.version
    sent: dict[str, Any] = {"by": by, "expected_version": expected_version, "merge": merge}
    change_row(found, "relationship", changes, fields=fields, **sent)
    if found.version != before:
        for listener in relationship_listeners:
            listener(found)
    return found


def _get_or_create_user(project_id: UUID, external_id: str, display_name: str, by: Actor) -> EndUser:
    person, created = EndUser.objects.get_or_create(
        project_id=project_id, external_id=external_id, defaults={"display_name": display_name}
    )
    if created:
        audit_row(person, "user.created", by, fields=[], version=person.version)
    return person
