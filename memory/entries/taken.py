"""What only one active entry may have: a text, and a single-valued key."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from memory.entries.history import Change, changed, fields_of
from memory.errors import ReadOnlyEntry, SameAsAnother, TooManyEntries
from memory.models import EntryState, RevisionEvent, ScratchpadEntry

Text = tuple[str, str, bytes]
Key = tuple[str, str | None]


class Taken:
    """Which active entries have the text or key that `entries` would take. Read once, under the relationship's lock.

    Call `take` for each entry that is accepted, so that the next ones are checked against it too.
    """

    def __init__(self, relationship_id: UUID, entries: Iterable[ScratchpadEntry]) -> None:
        wanted = list(entries)
        active = ScratchpadEntry.objects.for_relationship(relationship_id).active()
        active = active.filter(subject__in={entry.subject for entry in wanted})
        same = active.filter(
            type__in={entry.type for entry in wanted},
            content_hash__in={bytes(entry.content_hash) for entry in wanted},
        )
        self._texts: dict[Text, UUID] = {
            (subject, type, bytes(digest)): id
            for subject, type, digest, id in same.values_list("subject", "type", "content_hash", "id")
        }
        keys = {entry.key for entry in wanted if entry.single_valued and entry.key}
        held = active.filter(key__in=keys, single_valued=True) if keys else []
        ours = {entry.id: entry for entry in wanted}
        self._keys: dict[Key, ScratchpadEntry] = {key_of(entry): ours.get(entry.id, entry) for entry in held}

    def refuse_same(self, entry: ScratchpadEntry) -> None:
        same = self._texts.get(text_of(entry), entry.id)
        if same != entry.id:
            raise SameAsAnother("Another active entry says exactly this.", entry=str(same))

    def holder_of_key(self, entry: ScratchpadEntry) -> ScratchpadEntry | None:
        """The other entry that has this one's single-valued key now."""
        holder = self._keys.get(key_of(entry))
        return holder if holder is not None and holder.id != entry.id else None

    def supersede_key(self, entry: ScratchpadEntry, now: datetime, *, since: datetime) -> list[Change]:
        """Supersede the entry that holds the single-valued key, as of `since`, when this entry's own change takes
        effect: so at no time in the past were there two values. Raises ReadOnlyEntry.
        """
        held = self.holder_of_key(entry)
        if held is None:
            return []
        if held.read_only:
            raise ReadOnlyEntry(f"The entry that holds {entry.key} is read-only.", entry=str(held.id))
        before = fields_of(held)
        held.state = EntryState.SUPERSEDED
        # The old value was valid until the new one. A restored entry, even if it is older, takes over now.
        held.valid_to = entry.effective_at if entry.effective_at > held.effective_at else now
        self._texts.pop(text_of(held), None)
        reason = f"{entry.key} has a new value"
        return [changed(held, before, RevisionEvent.SUPERSEDE, at=since, reason=reason)]

    def take(self, entry: ScratchpadEntry) -> None:
        self._texts[text_of(entry)] = entry.id
        if entry.single_valued and entry.key:
            self._keys[key_of(entry)] = entry

    def give_up(self, text: Text, key: Key, entry: ScratchpadEntry) -> None:
        """What was its own before: those after it may take it."""
        if text != text_of(entry) and self._texts.get(text) == entry.id:
            del self._texts[text]
        if key != key_of(entry) and self._keys.get(key) is entry:
            del self._keys[key]


def text_of(entry: ScratchpadEntry) -> Text:
    return entry.subject, entry.type, bytes(entry.content_hash)


def key_of(entry: ScratchpadEntry) -> Key:
    """Without a name where it may have many values."""
    return entry.subject, entry.key if entry.single_valued else None


def refuse_too_many(relationship_id: UUID, limit: int, more: int = 1) -> None:
    count = ScratchpadEntry.objects.for_relationship(relationship_id).active().count()
    if count + more > limit:
        room = f"{max(0, limit - count)} of {more} more fit" if more > 1 else "Delete some first"
        raise TooManyEntries(
            f"The relationship holds {count} entries; ingestion.max_entries allows {limit}. {room}.",
            limit=limit,
            count=count,
        )
