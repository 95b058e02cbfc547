"""What only one active entry may have: a text, and a single-valued key."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from memory.entries.history import Change, changed
from memory.entries.limits import MAX_TAGS
from memory.errors import ReadOnlyEntry, SameAsAnother, TooManyEntries
from memory.models import EntryState, RevisionEvent, ScratchpadEntry, Tier


class Taken:
    """Finds entries by their text or key, as they are now: a change of an entry counts as soon as it is made.

    Make it under the relationship's lock. `add` each entry that is new, or that got another text or key.
    """

    def __init__(self, entries: Iterable[ScratchpadEntry]) -> None:
        self._entries = defaultdict[tuple[str, bytes | str], list[ScratchpadEntry]](list)
        for entry in entries:
            self.add(entry)

    @classmethod
    def read(
        cls,
        relationship_id: UUID,
        wanted: Collection[ScratchpadEntry],
        known: Iterable[ScratchpadEntry] = (),
    ) -> Self:
        """Read which active entries have the texts and keys of `wanted`. One statement. `known`: rows that were read
        already, and which the caller is going to change.
        """
        active = ScratchpadEntry.objects.for_relationship(relationship_id).active()
        same = Q(
            type__in={entry.type for entry in wanted},
            content_hash__in={bytes(entry.content_hash) for entry in wanted},
        )
        keys = {entry.key for entry in wanted if entry.single_valued and entry.key}
        rows = active.filter(
            same | Q(key__in=keys, single_valued=True), subject__in={entry.subject for entry in wanted}
        )
        ours = {entry.id: entry for entry in known}
        return cls(ours.get(row.id, row) for row in rows)

    def add(self, entry: ScratchpadEntry) -> None:
        self._entries[entry.subject, bytes(entry.content_hash)].append(entry)
        self._entries[entry.subject, entry.key or ""].append(entry)

    def saying(
        self, subject: str, content_hash: bytes, *, state: EntryState = EntryState.ACTIVE
    ) -> ScratchpadEntry | None:
        """The entry in this state that says this about `subject`, whatever its type."""
        return next(self._saying(subject, content_hash, state), None)

    def holding(self, subject: str, key: str | None) -> ScratchpadEntry | None:
        """The active entry that holds this single-valued key."""
        there = reversed(self._entries.get((subject, key or ""), ()))
        active = (one for one in there if one.state == EntryState.ACTIVE and one.single_valued)
        return next((one for one in active if (one.subject, one.key) == (subject, key)), None)

    def same_as(self, entry: ScratchpadEntry) -> ScratchpadEntry | None:
        """Another active entry of the same type that says exactly the same."""
        there = self._saying(entry.subject, bytes(entry.content_hash), EntryState.ACTIVE)
        return next((one for one in there if one.type == entry.type and one.id != entry.id), None)

    def holder_of_key(self, entry: ScratchpadEntry) -> ScratchpadEntry | None:
        """The other entry that has this one's single-valued key now."""
        holder = self.holding(entry.subject, entry.key) if entry.single_valued else None
        return holder if holder is not None and holder.id != entry.id else None

    def refuse_same(self, entry: ScratchpadEntry) -> None:
        if (same := self.same_as(entry)) is not None:
            raise SameAsAnother("Another active entry says exactly this.", entry=str(same.id))

    def supersede_key(self, entry: ScratchpadEntry, now: datetime, *, since: datetime) -> list[Change]:
        """Supersede the entry that holds the single-valued key, as of `since`, when this entry's own change takes
        effect: so at no time in the past were there two values. Raises ReadOnlyEntry.
        """
        held = self.holder_of_key(entry)
        if held is None:
            return []
        if held.read_only:
            raise ReadOnlyEntry(f"The entry that holds {entry.key} is read-only.", entry=str(held.id))
        # The old value was valid until the new one. A restored entry, even if it is older, takes over now.
        until = entry.effective_at if entry.effective_at > held.effective_at else now
        ended: dict[str, Any] = {"state": EntryState.SUPERSEDED, "valid_to": until}
        reason = f"{entry.key} has a new value"
        return [changed(held, RevisionEvent.SUPERSEDE, at=since, reason=reason, **ended)]

    def _saying(self, subject: str, content_hash: bytes, state: EntryState) -> Iterator[ScratchpadEntry]:
        for one in reversed(self._entries.get((subject, content_hash), ())):
            if one.state == state and (one.subject, bytes(one.content_hash)) == (subject, content_hash):
                yield one


def of_either(
    entry: ScratchpadEntry, other: ScratchpadEntry, *, happens_at: str | None, expires_at: datetime | None
) -> dict[str, Any]:
    """The values of `entry` after `other` was merged into it: it is in the scratchpad or pinned if either was, gets the
    other's date if it has none, and expires with the later of the two. To its tags come the other's, as far as there
    is room; where both have one of the same name, its own stays.

    `happens_at`, `expires_at`: those of `other`, as far as is known now.
    """
    ends = (entry.expires_at, expires_at)
    tags = {**entry.tags, **{name: tag for name, tag in other.tags.items() if name not in entry.tags}}
    return {
        "tier": Tier.SCRATCHPAD if Tier.SCRATCHPAD in (entry.tier, other.tier) else entry.tier,
        "pinned": entry.pinned or other.pinned,
        "happens_at": entry.happens_at or happens_at,
        "expires_at": max(end for end in ends if end) if all(ends) else None,
        "tags": dict(islice(tags.items(), MAX_TAGS)),
    }


def refuse_too_many(count: int, limit: int, more: int) -> None:
    """`count`: the active entries that are there. Raises TooManyEntries."""
    if count + more > limit:
        room = f"{max(0, limit - count)} of {more} more fit" if more > 1 else "Delete some first"
        raise TooManyEntries(
            f"The relationship holds {count} entries; ingestion.max_entries allows {limit}. {room}.",
            limit=limit,
            count=count,
        )
