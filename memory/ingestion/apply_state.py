"""What an answer is applied to: the entries as they are now, under the relationship's lock, and the changes made."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from config.postgresql.rows import columns_of, take_instance
from config.postgresql.sessions import prepared_cursor
from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, Origin, added, changed, fields_of
from memory.entries.uniqueness import Taken
from memory.ingestion.entry_values import said_at_of
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.operations import Operation
from memory.ingestion.overflow import tokens_at_most
from memory.ingestion.results import result_of
from memory.models import (
    EntryRevision,
    EntryState,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Verdict,
)
from relationships.models import Turn

_READ = f"""
SELECT active, bytes, lines,
       ARRAY(SELECT shown.id FROM unnest(%(shown)s::uuid[]) AS shown (id)
              WHERE NOT EXISTS (SELECT 1 FROM memory_scratchpadentry s
                                 WHERE s.relationship_id = %(relationship)s AND s.id = shown.id)
                AND NOT EXISTS (SELECT 1 FROM relationships_message m
                                 WHERE m.relationship_id = %(relationship)s AND m.id = shown.id
                                   AND m.erased_at IS NULL AND m.hidden_at IS NULL)),
       e.id, {columns_of(ScratchpadEntry, "e")}
  FROM (SELECT count(*) AS active,
               coalesce(sum(octet_length(content)) FILTER (WHERE tier = 'scratchpad'), 0) AS bytes,
               count(*) FILTER (WHERE tier = 'scratchpad') AS lines
          FROM memory_scratchpadentry WHERE relationship_id = %(relationship)s AND state = 'active') counted
  LEFT JOIN memory_scratchpadentry e
         ON e.relationship_id = %(relationship)s
        AND (e.id = ANY(%(ids)s) OR (e.content_hash = ANY(%(hashes)s) AND e.state = ANY(%(states)s))
             OR (e.key = ANY(%(keys)s) AND e.state = 'active' AND e.single_valued))
"""  # noqa: S608 - columns of ours


@dataclass(slots=True)
class ApplyState:
    """The state of one application.

    `rows`: the entries that the operations name, and those that have the texts or keys of the operations, by ID.
    `touched`: which strategy added or changed an entry here, so that another of the same turn does not undo it.
    """

    given: IngestionInput
    now: datetime
    rows: dict[UUID, ScratchpadEntry] = field(default_factory=dict)
    forgotten: Mapping[tuple[str, bytes], datetime] = field(default_factory=dict)  # by subject and hash: when
    active_count: int = 0  # before the changes
    scratchpad_tokens: float = 0  # an upper bound, before the changes
    shown: Mapping[UUID, Sequence[ShownEntry]] = field(default_factory=dict)  # by call, in order of numbers
    last_call: tuple[UUID | None, str] = (None, "")  # ID and model, for changes that name no call
    taken: Taken = field(init=False)
    more: int = 0  # active entries, by the changes
    touched: dict[UUID, str] = field(default_factory=dict)
    added: list[ScratchpadEntry] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    results: list[OperationResult] = field(default_factory=list)
    _count: Counter[UUID] = field(default_factory=Counter, init=False)  # of the results, by turn

    def __post_init__(self) -> None:
        self.taken = Taken(self.rows.values())

    @property
    def is_full(self) -> bool:
        """Whether the relationship has as many entries as its configuration allows, including the changes made here."""
        return self.active_count + self.more >= self.given.ingestion.max_entries

    @property
    def scratchpad_at_most(self) -> float:
        """An upper bound of the scratchpad's tokens after the changes."""
        texts = {change.entry.id: change.entry.content for change in self.changes if change.entry}
        return self.scratchpad_tokens + sum(tokens_at_most(len(said.encode()), 1) for said in texts.values())

    def turn_of(self, item: Operation) -> Turn:
        """The turn an operation is based on: that of the last message it cites, or else the batch's last."""
        turns = {turn.id: turn for turn in self.given.turns}
        cited = self.given.cited(item.messages)
        return turns[max(cited, key=lambda m: m.occurred_at).turn_id] if cited else self.given.turns[-1]

    def said_at(self, operation: Operation) -> datetime:
        return said_at_of(self.given, operation)

    def origin_of(self, operation: Operation) -> Origin:
        call_id, model = (operation.call_id, operation.model) if operation.call_id else self.last_call
        return Origin(self.turn_of(operation).id, call_id, self.given.instructions.version, model)

    def target(self, operation: Operation) -> ScratchpadEntry | None:
        """The entry that an operation names, if it is still as the model saw it."""
        assert operation.entry is not None
        shown = self.given.entries[operation.entry - 1]
        entry = self.rows.get(shown.id)
        fresh = entry is not None and entry.version == shown.version and entry.state == EntryState.ACTIVE
        return entry if fresh else None

    def is_forgotten(self, operation: Operation, subject: str, digest: bytes) -> bool:
        """Return whether an entry that said this was deleted after the turn."""
        deleted_at = self.forgotten.get((subject, digest))
        return deleted_at is not None and deleted_at > self.said_at(operation)

    def take_in(self, operation: Operation, entry: ScratchpadEntry, *, reason: str) -> None:
        """Add a new entry that says what the operation says."""
        self.added.append(entry)
        self.more += 1
        self._touch(operation, entry)
        self.changes.append(added(entry, reason=reason, origin=self.origin_of(operation)))
        self.add_result(operation, Verdict.APPLIED, entry_id=entry.id)

    def rewrite(self, operation: Operation, entry: ScratchpadEntry, values: Mapping[str, Any]) -> None:
        """Change an entry to what the operation says."""
        self.change(operation, entry, RevisionEvent.UPDATE, operation.reason, **values)
        self._touch(operation, entry)
        self.add_result(operation, Verdict.APPLIED, entry_id=entry.id)

    def end(
        self, operation: Operation, entry: ScratchpadEntry, event: RevisionEvent, reason: str, **values: Any
    ) -> None:
        """Make an active entry inactive; `values` include its new state."""
        self.more -= 1
        self.change(operation, entry, event, reason, **values)

    def supersede(
        self,
        operation: Operation,
        entry: ScratchpadEntry,
        reason: str,
        event: RevisionEvent = RevisionEvent.SUPERSEDE,
        *,
        valid_to: datetime | None = None,
    ) -> None:
        """Supersede an entry. `valid_to` None: it was valid until this was said."""
        until = valid_to or self.said_at(operation)
        self.end(operation, entry, event, reason, state=EntryState.SUPERSEDED, valid_to=until)

    def change(
        self, operation: Operation, entry: ScratchpadEntry, event: RevisionEvent, reason: str, **values: Any
    ) -> None:
        at, origin = self.said_at(operation), self.origin_of(operation)
        self.changes.append(changed(entry, event, at=at, reason=reason, origin=origin, **values))

    def leave_as_it_is(
        self, operation: Operation, entry: ScratchpadEntry, reason: str, *, is_new: bool = False
    ) -> None:
        """Change nothing, but record in the history that the entry was considered."""
        fields, at, origin = fields_of(entry), self.said_at(operation), self.origin_of(operation)
        before = None if is_new else fields
        self.changes.append(Change(RevisionEvent.NONE, before, fields, at, reason, origin, entry))
        self.add_result(operation, Verdict.NONE, reason, entry.id)

    def _touch(self, operation: Operation, entry: ScratchpadEntry) -> None:
        self.taken.add(entry)
        self.touched[entry.id] = operation.strategy

    def add_result(
        self, item: Operation, verdict: Verdict, reason: str = "", entry_id: UUID | None = None
    ) -> OperationResult:
        turn = self.turn_of(item)
        shown = self.shown.get(item.call_id) if item.call_id else None
        result = result_of(
            item,
            verdict,
            reason,
            entry_id=entry_id,
            turn=turn,
            number=self._count[turn.id],
            given=self.given,
            shown=self.given.entries if shown is None else shown,
        )
        self.results.append(result)
        self._count[turn.id] += 1
        return result


def open_state(
    given: IngestionInput,
    items: Sequence[Operation],
    *,
    now: datetime,
    shown: Collection[UUID] = (),
) -> tuple[ApplyState, Set[UUID]]:
    """Return the state that operations are applied to; and of everything `shown`, the entries that no longer exist and
    the messages whose text was erased.

    One statement, and one more if a deleted entry said the same. Call it under the lock.
    """
    operations = [item for item in items if item.op != "refused"]
    if not operations and not shown:
        return ApplyState(given, now), frozenset()
    named = [given.entries[o.entry - 1] for o in operations if o.entry is not None]
    wanted = [EntryState.ACTIVE, EntryState.DELETED]
    if any(o.op == "none" for o in operations):
        wanted.append(EntryState.SUPERSEDED)
    asked: dict[str, Any] = {
        "relationship": given.relationship_id,
        "shown": list(shown),
        "ids": [entry.id for entry in named],
        "hashes": [content_hash(o.content) for o in operations if o.content],
        "states": [state.value for state in wanted],
        "keys": list({key for key in (*(o.key for o in operations), *(entry.key for entry in named)) if key}),
    }
    with prepared_cursor() as cursor:
        cursor.execute(_READ, asked)
        found = cursor.fetchall()
    active, bytes_, lines, gone = found[0][:4]
    rows = [take_instance(ScratchpadEntry, iter(row[5:])) for row in found if row[4] is not None]
    state = ApplyState(
        given,
        now,
        {row.id: row for row in rows},
        _forgotten(given.relationship_id, rows),
        active_count=active,
        scratchpad_tokens=tokens_at_most(bytes_, lines),
    )
    return state, frozenset(gone)


def _forgotten(relationship_id: UUID, rows: Iterable[ScratchpadEntry]) -> dict[tuple[str, bytes], datetime]:
    """When entries that said something were deleted (effective time), by subject and hash."""
    deleted = {
        row.id: (row.subject, bytes(row.content_hash)) for row in rows if row.state == EntryState.DELETED
    }
    if not deleted:
        return {}
    revisions = EntryRevision.objects.for_relationship(relationship_id).order_by("seq")
    ended = revisions.filter(entry_id__in=list(deleted), event=RevisionEvent.DELETE)
    return {deleted[entry_id]: at for entry_id, at in ended.values_list("entry_id", "effective_at")}
