"""Changes of entries by people: revise, merge, delete. (To add entries: adding; to restore them: restoring. What models
propose: memory.ingestion.apply.)

Each takes the relationship's row lock, leaves a revision and updates the snapshot, in one transaction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.history import Change, change_entries, changed, fields_of, plain, with_values
from memory.entries.limits import editable, refuse_beyond_limits, refuse_empty_period
from memory.entries.uniqueness import Taken, of_either
from memory.errors import EntryNotActive, ReadOnlyEntry
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Tier
from relationships.same_json import same_json
from relationships.services.rows import require, require_lock
from web.actor import Actor
from web.errors import InvalidInput, NotFound, RapportError, StaleVersion

Refused = dict[int, RapportError]  # by the place among those that were named


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an active entry is to say. `version`: refuse if it is another by now."""

    entry_id: UUID
    values: Mapping[str, Any]
    version: int | None = None
    reason: str = ""


def revise_entry(
    *,
    relationship_id: UUID,
    entry_id: UUID,
    values: Mapping[str, Any],
    by: Actor,
    version: int | None = None,
    reason: str = "",
    rests_also_on: Sequence[UUID] = (),
) -> ScratchpadEntry:
    """Change an active entry. `version`: the expected one.

    Raises InvalidInput, NotFound, StaleVersion, EntryNotActive, ReadOnlyEntry, SameAsAnother. A read-only entry can
    be changed only by a call that also removes the mark.
    """
    wanted = Wanted(entry_id, values, version, reason)
    entries, refused = _revise([wanted], relationship_id=relationship_id, by=by, rests_also_on=rests_also_on)
    for error in refused.values():
        raise error
    return entries[0]


def revise_entries(*, relationship_id: UUID, wanted: Sequence[Wanted], by: Actor) -> list[ScratchpadEntry]:
    """Change what all of these say, in their order, or none. Raises InvalidInput, which names by its place each that
    revise_entry would refuse, or that is named before.
    """
    entries, refused = _revise(wanted, relationship_id=relationship_id, by=by)
    if refused:
        raise InvalidInput.of_parts({f"entries.{place}": error for place, error in refused.items()})
    return entries


def revise_what_can_be(*, relationship_id: UUID, wanted: Sequence[Wanted], by: Actor) -> Refused:
    """Change what these say where revise_entry would, and return the errors of the others, by place."""
    return _revise(wanted, relationship_id=relationship_id, by=by, partly=True)[1]


@transaction.atomic
def _revise(
    wanted: Sequence[Wanted],
    *,
    relationship_id: UUID,
    by: Actor,
    rests_also_on: Sequence[UUID] = (),
    partly: bool = False,
) -> tuple[list[ScratchpadEntry], Refused]:
    """Unless `partly`, nothing is written where one is refused."""
    now = _locked_now(relationship_id)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id)
    found = {entry.id: entry for entry in rows.filter(id__in=[one.entry_id for one in wanted])}
    refused: Refused = {}
    revised: dict[int, tuple[ScratchpadEntry, dict[str, Any]]] = {}
    for place, one in enumerate(wanted):
        try:
            if (entry := found.pop(one.entry_id, None)) is None:
                raise NotFound("This entry does not exist.")
            _refuse_other_version(entry, one.version)
            revised[place] = entry, _new_values(entry, one.values, rests_also_on, now)
        except RapportError as error:
            refused[place] = error
    entries = [entry for entry, _ in revised.values()]
    taken = Taken.read(relationship_id, [with_values(*one) for one in revised.values()], entries)
    changes: list[Change] = []
    for place, (entry, values) in revised.items():
        try:
            changes += _changes_of(entry, values, taken, now, reason=wanted[place].reason)
        except RapportError as error:
            refused[place] = error
    if changes and (partly or not refused):
        _write(entries[0], changes, by, now)
    return entries, refused


def _new_values(
    entry: ScratchpadEntry, values: Mapping[str, Any], rests_also_on: Sequence[UUID], now: datetime
) -> dict[str, Any]:
    """The values of an entry that is revised."""
    _refuse_not_active(entry)
    _refuse_read_only(entry, values)
    wanted = editable(values)
    refuse_beyond_limits({name: value for name, value in wanted.items() if value != getattr(entry, name)})
    if "content" in wanted and "effective_at" not in wanted:
        wanted["effective_at"] = now
    new = with_values(entry, wanted)
    if (new.valid_from, new.valid_to) != (entry.valid_from, entry.valid_to):  # it may be older than the rule
        refuse_empty_period(new.valid_from, new.valid_to)
    return {**wanted, "source_message_ids": entry.citing(rests_also_on)}


def _changes_of(
    entry: ScratchpadEntry, values: Mapping[str, Any], taken: Taken, now: datetime, *, reason: str
) -> list[Change]:
    """None where nothing is different: no version, no revision."""
    if entry.state != EntryState.ACTIVE:
        raise EntryNotActive("One before it in the request takes its key; name it before that one.")
    new = with_values(entry, values)
    if same_json(fields_of(new), {**fields_of(entry), "effective_at": plain(new.effective_at)}):
        return []
    taken.refuse_same(new)
    superseded = taken.supersede_key(new, now, since=now)
    archived = entry.tier == Tier.SCRATCHPAD and new.tier == Tier.ARCHIVE
    event = RevisionEvent.ARCHIVE if archived else RevisionEvent.UPDATE
    change = changed(entry, event, at=now, reason=reason, **values)
    taken.add(entry)
    return [*superseded, change]


@transaction.atomic
def merge_entries(
    *, kept: ScratchpadEntry, other: ScratchpadEntry, content: str, by: Actor, how: str
) -> None:
    """Set the content of `kept`, with the citations of both. `other` is superseded, not deleted, as deleting would hide
    what was said. Raises like revise_entry.
    """
    now = _locked_now(kept.relationship_id)
    other = _entry(kept.relationship_id, other.id, other.version)
    _refuse_not_active(other)
    _refuse_read_only(other, {})
    reason = f"merged into entry {kept.id}, {how}"
    ended: dict[str, Any] = {"state": EntryState.SUPERSEDED, "valid_to": now}
    _write(other, [changed(other, RevisionEvent.MERGE, at=now, reason=reason, **ended)], by, now)
    revise_entry(
        relationship_id=kept.relationship_id,
        entry_id=kept.id,
        values={
            "content": content,
            **of_either(kept, other, happens_at=other.happens_at, expires_at=other.expires_at),
        },
        by=by,
        version=kept.version,
        reason=f"merged with entry {other.id}, {how}",
        rests_also_on=other.source_message_ids,
    )


@transaction.atomic
def delete_entry(
    *, relationship_id: UUID, entry_id: UUID, by: Actor, version: int | None = None, reason: str = ""
) -> ScratchpadEntry:
    """Delete an active entry. It can be restored. Raises like revise_entry."""
    now = _locked_now(relationship_id)
    entry = _entry(relationship_id, entry_id, version)
    _write(entry, _deletion(entry, now, reason), by, now)
    return entry


def delete_entries(*, relationship_id: UUID, entry_ids: Sequence[UUID], by: Actor, reason: str = "") -> int:
    """Delete all of these entries or none; return how many were not deleted before. Raises InvalidInput, which names
    the index of each that doesn't exist or that delete_entry would refuse.
    """
    count, refused = _delete(relationship_id, entry_ids, by, reason)
    if refused:
        raise InvalidInput.of_parts({f"entries.{place}": error for place, error in refused.items()})
    return count


def delete_what_can_be(
    *, relationship_id: UUID, entry_ids: Sequence[UUID], by: Actor, reason: str = ""
) -> Refused:
    """Delete those of these entries that delete_entry would, and return the errors of the others."""
    return _delete(relationship_id, entry_ids, by, reason, partly=True)[1]


@transaction.atomic
def _delete(
    relationship_id: UUID, entry_ids: Sequence[UUID], by: Actor, reason: str, *, partly: bool = False
) -> tuple[int, Refused]:
    now = _locked_now(relationship_id)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=entry_ids)
    found = {entry.id: entry for entry in rows}
    refused: Refused = {}
    changes: list[Change] = []
    for place, entry_id in enumerate(entry_ids):
        try:
            if (entry := found.get(entry_id)) is None:
                raise NotFound("This entry does not exist.")
            changes += _deletion(entry, now, reason)
        except RapportError as error:
            refused[place] = error
    if changes and (partly or not refused):
        _write(next(iter(found.values())), changes, by, now)
    return len(changes), refused


def _deletion(entry: ScratchpadEntry, now: datetime, reason: str) -> list[Change]:
    if entry.state == EntryState.DELETED:
        return []
    if entry.state != EntryState.ACTIVE:
        raise EntryNotActive(f"The entry is {entry.state}, so it is already shown nowhere.")
    _refuse_read_only(entry, {})
    return [changed(entry, RevisionEvent.DELETE, at=now, reason=reason, state=EntryState.DELETED)]


def _write(entry: ScratchpadEntry, changes: list[Change], by: Actor, now: datetime) -> None:
    change_entries(
        relationship_id=entry.relationship_id, project_id=entry.project_id, changes=changes, by=by, now=now
    )


def _locked_now(relationship_id: UUID) -> datetime:
    """The time after taking the lock, so that recorded times are in the order of the changes."""
    require_lock(relationship_id)
    return timezone.now()


def _entry(relationship_id: UUID, entry_id: UUID, version: int | None) -> ScratchpadEntry:
    owned = ScratchpadEntry.objects.for_relationship(relationship_id)
    entry: ScratchpadEntry = require(owned.filter(id=entry_id), "entry")
    _refuse_other_version(entry, version)
    return entry


def _refuse_other_version(entry: ScratchpadEntry, version: int | None) -> None:
    if version is not None and entry.version != version:
        raise StaleVersion(
            f"The entry is at version {entry.version} now, not {version}. Read it again and decide.",
            current_version=entry.version,
        )


def _refuse_not_active(entry: ScratchpadEntry) -> None:
    if entry.state != EntryState.ACTIVE:
        raise EntryNotActive(f"The entry is {entry.state}; restore it first.")


def _refuse_read_only(entry: ScratchpadEntry, values: Mapping[str, Any]) -> None:
    if entry.read_only and values.get("read_only") is not False:
        raise ReadOnlyEntry("The entry is read-only; set read_only to false first.")
