"""What an answer is applied to: the entries as they are now, under the relationship's lock, and what became of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.reading import Reading, ShownEntry
from memory.ingestion.results import result_of
from memory.models import (
    USER_SUBJECT,
    EntryRevision,
    EntryState,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Verdict,
)
from memory.services.fingerprint import content_hash
from memory.services.history import Change
from relationships.models import Turn


@dataclass(slots=True)
class Workbench:
    """The state of one application. `targets` by ID; `active`, `skipped` by (subject, hash); `keyed` by (subject, key).

    `touched`: which strategy added or changed an entry here, so that another of the same turn does not undo it.
    """

    reading: Reading
    now: datetime
    targets: dict[UUID, ScratchpadEntry]
    active: dict[tuple[str, bytes], ScratchpadEntry]
    forgotten: dict[tuple[str, bytes], datetime]  # when an entry that said this was deleted, effectively
    keyed: dict[tuple[str, str], ScratchpadEntry]
    active_count: int  # when it was opened
    opened_active: frozenset[UUID] = frozenset()
    skipped: dict[tuple[str, bytes], ScratchpadEntry] = field(default_factory=dict)
    touched: dict[UUID, str] = field(default_factory=dict)
    added: list[ScratchpadEntry] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    results: list[OperationResult] = field(default_factory=list)
    shown: Mapping[UUID, Sequence[ShownEntry]] = field(
        default_factory=dict
    )  # by call, in order of the numbers

    @property
    def is_full(self) -> bool:
        """Whether the relationship holds as many entries as its configuration allows, counting what was done here."""
        left = sum(
            row.state != EntryState.ACTIVE for row in self.targets.values() if row.id in self.opened_active
        )
        added = sum(entry.state == EntryState.ACTIVE for entry in self.added)
        return self.active_count - left + added >= self.reading.ingestion.max_entries

    def turn_of(self, item: Operation | Refusal) -> Turn:
        """The turn an operation rests on: that of the last message it cites; else the batch's last."""
        turns = {turn.id: turn for turn in self.reading.turns}
        cited = [self.reading.messages[number - 1] for number in item.messages]
        return turns[max(cited, key=lambda m: m.occurred_at).turn_id] if cited else self.reading.turns[-1]

    def said_at(self, operation: Operation) -> datetime:
        """Effective time: when the last message it rests on was said."""
        return max(self.reading.messages[number - 1].occurred_at for number in operation.messages)

    def cited_ids(self, operation: Operation) -> list[UUID]:
        return [self.reading.messages[number - 1].id for number in operation.messages]

    def target(self, operation: Operation) -> ScratchpadEntry | None:
        """The entry an update or delete speaks of, if it is still what the model saw."""
        assert operation.entry is not None
        shown = self.reading.entries[operation.entry - 1]
        entry = self.targets.get(shown.id)
        fresh = entry is not None and entry.version == shown.version and entry.state == EntryState.ACTIVE
        return entry if fresh else None

    def leave(self, entry: ScratchpadEntry) -> None:
        """Take the entry out of the look-ups; where another says the same, as another type, that one is found now."""
        said = (entry.subject, bytes(entry.content_hash))
        if self.active.get(said) is entry:
            others = (
                row for row in self.targets.values() if row is not entry and row.state == EntryState.ACTIVE
            )
            twin = next((row for row in others if (row.subject, bytes(row.content_hash)) == said), None)
            self.active.pop(said)
            self.active.update({said: twin} if twin else {})
        if entry.key and self.keyed.get((entry.subject, entry.key)) is entry:
            del self.keyed[(entry.subject, entry.key)]

    def judge(
        self, item: Operation | Refusal, verdict: Verdict, reason: str = "", entry_id: UUID | None = None
    ) -> OperationResult:
        turn = self.turn_of(item)
        shown = self.shown.get(item.call_id) if item.call_id else None
        result = result_of(
            item,
            verdict,
            reason,
            entry_id=entry_id,
            turn=turn,
            number=sum(earlier.turn_id == turn.id for earlier in self.results),
            reading=self.reading,
            shown=self.reading.entries if shown is None else shown,
        )
        self.results.append(result)
        return result


def open_workbench(reading: Reading, items: Sequence[Operation | Refusal], *, now: datetime) -> Workbench:
    """Read what the operations speak of: four queries at the most, whatever their number. Call under the lock."""
    operations = [item for item in items if isinstance(item, Operation)]
    owned = ScratchpadEntry.objects.for_relationship(reading.relationship_id)
    shown = [reading.entries[o.entry - 1] for o in operations if o.entry is not None]
    hashes = [content_hash(o.content) for o in operations if o.content]
    wanted = [EntryState.ACTIVE, EntryState.DELETED]
    if any(o.op == "none" for o in operations):
        wanted.append(EntryState.SUPERSEDED)
    keys = {key for key in (*(o.key for o in operations), *(entry.key for entry in shown)) if key}
    rows: list[ScratchpadEntry] = []
    if operations:
        rows = list(
            owned.filter(id__in=[entry.id for entry in shown])
            | owned.filter(content_hash__in=hashes, state__in=wanted)
            | owned.filter(key__in=keys, state=EntryState.ACTIVE, single_valued=True)
        )
    return Workbench(
        reading=reading,
        now=now,
        targets={row.id: row for row in rows},
        active={
            (row.subject, bytes(row.content_hash)): row for row in rows if row.state == EntryState.ACTIVE
        },
        forgotten=_forgotten(reading.relationship_id, rows),
        keyed={
            (row.subject, row.key): row
            for row in rows
            if row.state == EntryState.ACTIVE and row.single_valued and row.key
        },
        active_count=owned.active().count() if operations else 0,
        opened_active=frozenset(row.id for row in rows if row.state == EntryState.ACTIVE),
        skipped={
            (row.subject, bytes(row.content_hash)): row for row in rows if row.state == EntryState.SUPERSEDED
        },
    )


def bare_workbench(reading: Reading, *, now: datetime) -> Workbench:
    """As if nothing were remembered yet, whatever is: for a dry run that begins with an empty scratchpad."""
    return Workbench(reading, now, targets={}, active={}, forgotten={}, keyed={}, active_count=0)


def _forgotten(relationship_id: UUID, rows: Iterable[ScratchpadEntry]) -> dict[tuple[str, bytes], datetime]:
    deleted = {
        row.id: (row.subject, bytes(row.content_hash)) for row in rows if row.state == EntryState.DELETED
    }
    if not deleted:
        return {}
    revisions = (
        EntryRevision.objects.for_relationship(relationship_id)
        .filter(entry_id__in=list(deleted), event=RevisionEvent.DELETE)
        .order_by("seq")
        .values_list("entry_id", "effective_at")
    )
    return {deleted[entry_id]: effective_at for entry_id, effective_at in revisions}


def subject_of(operation: Operation, entry: ScratchpadEntry | None = None) -> str:
    return operation.subject or (entry.subject if entry else USER_SUBJECT)
