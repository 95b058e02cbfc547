"""What people do to entries: revise, merge, delete, restore. (How they add: adding; what a model proposes:
memory.ingestion.apply.)

Each takes the relationship's row lock, leaves a revision and brings the snapshot up to date, in one transaction.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, change_entries, changed, fields_of
from memory.entries.limits import editable, refuse_beyond_limits, refuse_empty_period
from memory.entries.merging import of_either
from memory.entries.taken import Taken, refuse_too_many
from memory.errors import EntryNotActive, ReadOnlyEntry
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Tier
from relationships.models import Relationship
from relationships.same_json import same_json
from relationships.services.configuration import configuration_of
from relationships.services.rows import require, require_lock
from web.actor import Actor
from web.errors import InvalidInput, NotFound, RapportError, StaleVersion


@transaction.atomic
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
    """Change what an active entry says. `version`: refuse if it is another by now.

    Raises InvalidInput, NotFound, StaleVersion, EntryNotActive, ReadOnlyEntry, SameAsAnother. A read-only entry can
    be changed only by a call that also takes the mark away.
    """
    now = _locked_now(relationship_id)
    entry = _entry(relationship_id, entry_id, version)
    if entry.state != EntryState.ACTIVE:
        raise EntryNotActive(f"The entry is {entry.state}; restore it first.")
    _refuse_read_only(entry, values)
    before = fields_of(entry)
    wanted = editable(values)
    refuse_beyond_limits({name: value for name, value in wanted.items() if value != getattr(entry, name)})
    if "content" in wanted and "effective_at" not in wanted:
        wanted["effective_at"] = now
    valid = entry.valid_from, entry.valid_to
    for name, value in wanted.items():
        setattr(entry, name, value)
    entry.content_hash = content_hash(entry.content)
    entry.source_message_ids = list(dict.fromkeys([*entry.source_message_ids, *rests_also_on]))
    after = fields_of(entry)
    if same_json(after, {**before, "effective_at": after["effective_at"]}):
        return _entry(relationship_id, entry_id, None)  # nothing is different: no version, no revision
    if (entry.valid_from, entry.valid_to) != valid:  # an entry may be older than the rule
        refuse_empty_period(entry.valid_from, entry.valid_to)
    taken = Taken(relationship_id, [entry])
    taken.refuse_same(entry)
    superseded = taken.supersede_key(entry, now, since=now)
    event = RevisionEvent.ARCHIVE if _moved_to_archive(before, entry) else RevisionEvent.UPDATE
    _write(entry, [*superseded, changed(entry, before, event, at=now, reason=reason)], by, now)
    return entry


@transaction.atomic
def merge_entries(
    *, kept: ScratchpadEntry, other: ScratchpadEntry, content: str, by: Actor, how: str
) -> None:
    """Set the content of `kept`, with the citations of both. `other` is superseded, not deleted, as deleting would hide
    what was said. Raises like revise_entry.
    """
    now = _locked_now(kept.relationship_id)
    other = _entry(kept.relationship_id, other.id, other.version)
    if other.state != EntryState.ACTIVE:
        raise EntryNotActive(f"The entry is {other.state}; restore it first.")
    _refuse_read_only(other, {})
    before = fields_of(other)
    other.state, other.valid_to = EntryState.SUPERSEDED, now
    reason = f"merged into entry {kept.id}, {how}"
    _write(other, [changed(other, before, RevisionEvent.MERGE, at=now, reason=reason)], by, now)
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
    """Take an active entry out of what is shown; it can be restored. Raises like revise_entry."""
    now = _locked_now(relationship_id)
    entry = _entry(relationship_id, entry_id, version)
    _write(entry, _deletion(entry, now, reason), by, now)
    return entry


@transaction.atomic
def delete_entries(*, relationship_id: UUID, entry_ids: Sequence[UUID], by: Actor, reason: str = "") -> int:
    """Take all of these out of what is shown, or none; how many were not deleted before. Raises InvalidInput, which
    names by its place each that is not there or that delete_entry would refuse.
    """
    now = _locked_now(relationship_id)
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=entry_ids)
    found = {entry.id: entry for entry in rows}
    refused: dict[str, RapportError] = {}
    changes: list[Change] = []
    for place, entry_id in enumerate(entry_ids):
        try:
            if (entry := found.get(entry_id)) is None:
                raise NotFound("This entry is not there.")
            changes += _deletion(entry, now, reason)
        except RapportError as error:
            refused[f"entries.{place}"] = error
    if refused:
        raise InvalidInput.of_parts(refused)
    if changes:
        _write(next(iter(found.values())), changes, by, now)
    return len(changes)


def _deletion(entry: ScratchpadEntry, now: datetime, reason: str) -> list[Change]:
    if entry.state == EntryState.DELETED:
        return []
    if entry.state != EntryState.ACTIVE:
        raise EntryNotActive(f"The entry is {entry.state}, so it is shown nowhere already.")
    _refuse_read_only(entry, {})
    before = fields_of(entry)
    entry.state = EntryState.DELETED
    return [changed(entry, before, RevisionEvent.DELETE, at=now, reason=reason)]


@transaction.atomic
def restore_entry(
    *, relationship_id: UUID, entry_id: UUID, by: Actor, version: int | None = None, reason: str = ""
) -> ScratchpadEntry:
    """Bring a deleted, expired or superseded entry back as it was. Raises SameAsAnother, EntryNotActive,
    TooManyEntries.

    A single-valued key goes to the restored entry: the one that holds it now is superseded.
    """
    now = _locked_now(relationship_id)
    entry = _entry(relationship_id, entry_id, version)
    if entry.state == EntryState.ACTIVE:
        raise EntryNotActive("The entry is active; there is nothing to restore.")
    before = fields_of(entry)
    entry.state = EntryState.ACTIVE
    entry.valid_to = None if before["state"] == EntryState.SUPERSEDED else entry.valid_to
    if entry.expires_at is not None and entry.expires_at <= now:
        entry.expires_at = None
    taken = Taken(relationship_id, [entry])
    taken.refuse_same(entry)
    superseded = taken.supersede_key(entry, now, since=now)
    if not superseded:
        refuse_too_many(relationship_id, _limit_of(relationship_id))
    restored = changed(entry, before, RevisionEvent.RESTORE, at=now, reason=reason)
    _write(entry, [*superseded, restored], by, now)
    return entry


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
    if version is not None and entry.version != version:
        raise StaleVersion(
            f"The entry is at version {entry.version} by now, not {version}. Read it again and decide.",
            current_version=entry.version,
        )
    return entry


def _refuse_read_only(entry: ScratchpadEntry, values: Mapping[str, Any]) -> None:
    if entry.read_only and values.get("read_only") is not False:
        raise ReadOnlyEntry("The entry is read-only; set read_only to false first.")


def _limit_of(relationship_id: UUID) -> int:
    relationship = Relationship.objects.select_related("companion", "project").get(id=relationship_id)
    limit: int = configuration_of(relationship).values.ingestion.max_entries
    return limit


def _moved_to_archive(before: Mapping[str, Any], entry: ScratchpadEntry) -> bool:
    return before["tier"] == Tier.SCRATCHPAD and entry.tier == Tier.ARCHIVE
