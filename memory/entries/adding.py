"""Add one or many entries: check the new ones against the existing ones, and write all of them at once."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, added, change_entries
from memory.entries.limits import editable, refuse_beyond_limits, refuse_empty_period, refuse_future
from memory.entries.uniqueness import Taken, refuse_too_many
from memory.models import EntrySource, ScratchpadEntry
from relationships.ids import uuid7
from relationships.models import Relationship
from relationships.services.rows import require_lock
from web.actor import Actor
from web.errors import Conflict, InvalidInput, RapportError


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

    Raises InvalidInput, SameAsAnother, TooManyEntries, NotFound. If another entry has its single-valued key: raises
    ReadOnlyEntry, or Conflict if that one is newer, as what is added late does not overrule it.
    """
    entries, refused = add_what_fits(
        relationship=relationship, given=[(values, reason)], by=by, source=source, limit=limit
    )
    for error in refused.values():
        raise error
    return entries[0]


@transaction.atomic
def add_entries(
    *,
    relationship: Relationship,
    given: Sequence[tuple[Mapping[str, Any], str]],
    by: Actor,
    source: EntrySource,
    limit: int | None = None,
) -> list[ScratchpadEntry]:
    """Remember all of these values, each with its reason, or none. Raises InvalidInput, which names the index of each
    that add_entry would refuse; TooManyEntries, NotFound.
    """
    entries, refused = add_what_fits(
        relationship=relationship, given=given, by=by, source=source, limit=limit
    )
    if refused:
        raise InvalidInput.of_parts({f"entries.{place}": error for place, error in refused.items()})
    return entries


@transaction.atomic
def add_what_fits(
    *,
    relationship: Relationship,
    given: Sequence[tuple[Mapping[str, Any], str]],
    by: Actor,
    source: EntrySource,
    limit: int | None = None,
) -> tuple[list[ScratchpadEntry], dict[int, RapportError]]:
    """Remember those that add_entry would accept, each checked also against the ones before it. Return them, and the
    errors of the others by index. Raises TooManyEntries, NotFound.
    """
    require_lock(relationship.id)
    now = timezone.now()  # under the lock, so that recorded times follow the order of the changes
    refused: dict[int, RapportError] = {}
    entries: dict[int, ScratchpadEntry] = {}
    for place, (values, _) in enumerate(given):
        try:
            entries[place] = _new_entry(relationship, values, source, now)
        except InvalidInput as error:
            refused[place] = error
    taken = Taken.read(relationship.id, entries.values())
    changes: list[Change] = []
    more = 0
    for place, entry in list(entries.items()):
        try:
            superseded = _superseded_by_new(entry, taken, now)
        except Conflict as error:
            refused[place] = error
            del entries[place]
            continue
        taken.add(entry)
        more += not superseded
        changes += [*superseded, added(entry, reason=given[place][1])]
    if limit is not None and more:
        count = ScratchpadEntry.objects.for_relationship(relationship.id).active().count()
        refuse_too_many(count, limit, more)
    change_entries(
        relationship_id=relationship.id, project_id=relationship.project_id, changes=changes, by=by, now=now
    )
    return list(entries.values()), refused


def _new_entry(
    relationship: Relationship, values: Mapping[str, Any], source: EntrySource, now: datetime
) -> ScratchpadEntry:
    refuse_beyond_limits(values)
    entry = ScratchpadEntry(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        id=uuid7(),
        source=source,
        recorded_at=now,
        content_hash=content_hash(values["content"]),
        **{"effective_at": now, **editable(values)},
    )
    refuse_future({"effective_at": entry.effective_at}, now=now)
    refuse_empty_period(entry.valid_from, entry.valid_to)
    return entry


def _superseded_by_new(entry: ScratchpadEntry, taken: Taken, now: datetime) -> list[Change]:
    """Supersede what must make room for a new entry. Raises what add_entry does."""
    taken.refuse_same(entry)
    holder = taken.holder_of_key(entry)
    if holder is not None and holder.effective_at > entry.effective_at:
        raise Conflict(
            f"A newer {entry.key} is known. To make this the current one, leave out effective_at.",
            entry=str(holder.id),
        )
    return taken.supersede_key(entry, now, since=entry.effective_at)
