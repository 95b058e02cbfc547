"""Restore entries that were deleted, expired or superseded, under the relationship's row lock, in one transaction."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.editing import Refused
from memory.entries.history import Change, change_entries, changed
from memory.entries.uniqueness import Taken, refuse_too_many
from memory.errors import EntryNotActive
from memory.models import EntryState, RevisionEvent, ScratchpadEntry
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.rows import check_version, require, require_lock
from web.actor import Actor
from web.errors import NotFound, RapportError


@transaction.atomic
def restore_entry(
    *, relationship_id: UUID, entry_id: UUID, by: Actor, version: int | None = None, reason: str = ""
) -> ScratchpadEntry:
    """Restore a deleted, expired or superseded entry as it was. Raises SameAsAnother, EntryNotActive, TooManyEntries.

    A single-valued key goes to the restored entry: the one that holds it now is superseded.
    """
    require_lock(relationship_id)
    owned = ScratchpadEntry.objects.for_relationship(relationship_id)
    entry: ScratchpadEntry = require(owned.filter(id=entry_id), "entry")
    check_version(expected=version, current=entry.version)
    for error in _restore([entry], by, reason).values():
        raise error
    return entry


@transaction.atomic
def restore_what_can_be(
    *, relationship_id: UUID, entry_ids: Sequence[UUID], by: Actor, reason: str = ""
) -> Refused:
    """Restore those of these entries that restore_entry would, and return the errors of the others."""
    require_lock(relationship_id)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=entry_ids)
    found = {entry.id: entry for entry in rows}
    gone: Refused = {
        place: NotFound("This entry does not exist.")
        for place, entry_id in enumerate(entry_ids)
        if entry_id not in found
    }
    there = [place for place in range(len(entry_ids)) if place not in gone]
    refused = _restore([found[entry_ids[place]] for place in there], by, reason)
    return gone | {there[number]: error for number, error in refused.items()}


def _restore(entries: Sequence[ScratchpadEntry], by: Actor, reason: str) -> Refused:
    """Under the lock."""
    if not entries:
        return {}
    now, relationship_id = timezone.now(), entries[0].relationship_id
    taken, limit = Taken.read(relationship_id, entries), _limit_of(relationship_id)
    count = ScratchpadEntry.objects.for_relationship(relationship_id).active().count()
    refused: Refused = {}
    changes: list[Change] = []
    more = 0
    for place, entry in enumerate(entries):
        try:
            if entry.state == EntryState.ACTIVE:
                raise EntryNotActive("The entry is active; there is nothing to restore.")
            taken.refuse_same(entry)
            superseded = taken.supersede_key(entry, now, since=now)
            if not superseded:
                refuse_too_many(count, limit, more + 1)
                more += 1
        except RapportError as error:
            refused[place] = error
            continue
        values: dict[str, Any] = {"state": EntryState.ACTIVE}
        if entry.state == EntryState.SUPERSEDED:
            values["valid_to"] = None
        if entry.expires_at is not None and entry.expires_at <= now:
            values["expires_at"] = None
        changes += [*superseded, changed(entry, RevisionEvent.RESTORE, at=now, reason=reason, **values)]
        taken.add(entry)
    if changes:
        change_entries(**entries[0].owner, changes=changes, by=by, now=now)
    return refused


def _limit_of(relationship_id: UUID) -> int:
    relationship = Relationship.objects.select_related("companion", "project").get(id=relationship_id)
    limit: int = configuration_of(relationship).values.ingestion.max_entries
    return limit
