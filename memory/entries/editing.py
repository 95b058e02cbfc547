"""What people do to entries: add, revise, merge, delete, restore. (What a model proposes: memory.ingestion.apply.)

Each takes the relationship's row lock, leaves a revision and brings the snapshot up to date, in one transaction.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, added, change_entries, changed, fields_of
from memory.entries.limits import refuse_beyond_limits, refuse_empty_period
from memory.entries.merging import of_either
from memory.entries.times import refuse_future
from memory.errors import EntryNotActive, ReadOnlyEntry, SameAsAnother, TooManyEntries
from memory.models import EntrySource, EntryState, RevisionEvent, ScratchpadEntry, Tier
from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.same_json import same_json
from relationships.services.configuration import configuration_of
from relationships.services.rows import require, require_lock
from web.actor import Actor
from web.errors import Conflict, StaleVersion

# What a person may set; everything else follows from what they do.
EDITABLE = frozenset(
    "type subject content key single_valued importance confidence weight pinned read_only tags category metadata"
    " modality tier happens_at valid_from valid_to expires_at effective_at".split()
)


@transaction.atomic
def add_entry(
    *,
    relationship: Relationship,
    values: Mapping[str, Any],
    by: Actor,
    source: EntrySource,
    reason: str = "",
    limit: int | None = None,
) -> ScratchpadEntry:
    """Remember `values` (names of EDITABLE; content and type at least), if fewer than `limit` are active.

    Raises InvalidInput, SameAsAnother, TooManyEntries, NotFound; and over another entry that has its single-valued
    key ReadOnlyEntry, or Conflict where that one is newer: what is filled in late does not overrule it.
    """
    refuse_beyond_limits(values)
    now = _locked_now(relationship.id)
    entry = ScratchpadEntry(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        id=uuid7(),
        source=source,
        recorded_at=now,
        content_hash=content_hash(values["content"]),
        **{"effective_at": now, **_editable(values)},
    )
    refuse_future({"effective_at": entry.effective_at}, now=now)
    refuse_empty_period(entry.valid_from, entry.valid_to)
    _refuse_same(entry)
    holder = _holder_of_key(entry)
    if holder is not None and holder.effective_at > entry.effective_at:
        raise Conflict(
            f"A newer {entry.key} is known. To make this the present one, leave effective_at out.",
            entry=str(holder.id),
        )
    if limit is not None and holder is None:
        _refuse_too_many(relationship.id, limit)
    superseded = _supersede_key(entry, now, since=entry.effective_at)
    _write(entry, [*superseded, added(entry, reason=reason)], by, now)
    return entry


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
    wanted = _editable(values)
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
    _refuse_same(entry)
    superseded = _supersede_key(entry, now, since=now)
    event = RevisionEvent.ARCHIVE if _moved_to_archive(before, entry) else RevisionEvent.UPDATE
    _write(entry, [*superseded, changed(entry, before, event, at=now, reason=reason)], by, now)
    return entry


@transaction.atomic
def merge_entries(
    *, kept: ScratchpadEntry, other: ScratchpadEntry, content: str, by: Actor, how: str
) -> None:
    """Have `kept` say `content`, on what both rest on, with what stays of either. `other` is superseded, not deleted,
    which would hide what was said. Raises like revise_entry.
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
    if entry.state == EntryState.DELETED:
        return entry
    if entry.state != EntryState.ACTIVE:
        raise EntryNotActive(f"The entry is {entry.state}, so it is shown nowhere already.")
    _refuse_read_only(entry, {})
    before = fields_of(entry)
    entry.state = EntryState.DELETED
    _write(entry, [changed(entry, before, RevisionEvent.DELETE, at=now, reason=reason)], by, now)
    return entry


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
    _refuse_same(entry)
    if _holder_of_key(entry) is None:
        _refuse_too_many(relationship_id, _limit_of(relationship_id))
    superseded = _supersede_key(entry, now, since=now)
    restored = changed(entry, before, RevisionEvent.RESTORE, at=now, reason=reason)
    _write(entry, [*superseded, restored], by, now)
    return entry


def _write(entry: ScratchpadEntry, changes: list[Change], by: Actor, now: datetime) -> None:
    change_entries(
        relationship_id=entry.relationship_id, project_id=entry.project_id, changes=changes, by=by, now=now
    )


def _locked_now(relationship_id: UUID) -> datetime:
    """The time under the lock, so that recorded times follow the order of the changes."""
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


def _editable(values: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(values) - EDITABLE
    assert not unknown, f"not for people to set: {unknown}"
    return dict(values)


def _refuse_read_only(entry: ScratchpadEntry, values: Mapping[str, Any]) -> None:
    if entry.read_only and values.get("read_only") is not False:
        raise ReadOnlyEntry("The entry is read-only; set read_only to false first.")


def _refuse_same(entry: ScratchpadEntry) -> None:
    same = (
        ScratchpadEntry.objects.for_relationship(entry.relationship_id)
        .active()
        .filter(subject=entry.subject, type=entry.type, content_hash=entry.content_hash)
        .exclude(id=entry.id)
        .values_list("id", flat=True)
        .first()
    )
    if same is not None:
        raise SameAsAnother("Another active entry says exactly this.", entry=str(same))


def _refuse_too_many(relationship_id: UUID, limit: int) -> None:
    count = ScratchpadEntry.objects.for_relationship(relationship_id).active().count()
    if count >= limit:
        raise TooManyEntries(
            f"The relationship holds {count} entries; ingestion.max_entries allows {limit}. Delete some first.",
            limit=limit,
            count=count,
        )


def _limit_of(relationship_id: UUID) -> int:
    relationship = Relationship.objects.select_related("companion", "project").get(id=relationship_id)
    limit: int = configuration_of(relationship).values.ingestion.max_entries
    return limit


def _holder_of_key(entry: ScratchpadEntry) -> ScratchpadEntry | None:
    """The other entry that has this one's single-valued key now."""
    if not (entry.single_valued and entry.key):
        return None
    holder: ScratchpadEntry | None = (
        ScratchpadEntry.objects.for_relationship(entry.relationship_id)
        .active()
        .filter(subject=entry.subject, key=entry.key, single_valued=True)
        .exclude(id=entry.id)
        .first()
    )
    return holder


def _supersede_key(entry: ScratchpadEntry, now: datetime, *, since: datetime) -> list[Change]:
    """Where a key has one value, the entry that held it steps back, visibly: at `since`, when this one's own change
    takes effect, so that no moment of the past has two values. Raises ReadOnlyEntry.
    """
    held = _holder_of_key(entry)
    if held is None:
        return []
    if held.read_only:
        raise ReadOnlyEntry(f"The entry that holds {entry.key} is read-only.", entry=str(held.id))
    before = fields_of(held)
    held.state = EntryState.SUPERSEDED
    # It held until the new value; one that is brought back, though older, takes over today.
    held.valid_to = entry.effective_at if entry.effective_at > held.effective_at else now
    reason = f"{entry.key} has a new value"
    return [changed(held, before, RevisionEvent.SUPERSEDE, at=since, reason=reason)]


def _moved_to_archive(before: Mapping[str, Any], entry: ScratchpadEntry) -> bool:
    return before["tier"] == Tier.SCRATCHPAD and entry.tier == Tier.ARCHIVE
