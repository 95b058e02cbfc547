"""What an answer is applied to: the entries as they are now, under the relationship's lock, and the changes made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.entries.history import Change, Origin, added, changed, fields_of
from memory.entries.merging import of_either
from memory.ingestion.entry_values import cited_ids, rewrite, said_at_of
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.overflow import tokens_at_most
from memory.ingestion.results import result_of
from memory.models import (
    EntryState,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
    Verdict,
)
from relationships.models import Turn


@dataclass(slots=True)
class ApplyState:
    """The state of one application. `targets` by ID; `active`, `skipped` by (subject, hash); `keyed` by (subject, key).

    `touched`: which strategy added or changed an entry here, so that another of the same turn does not undo it.
    """

    given: IngestionInput
    now: datetime
    targets: dict[UUID, ScratchpadEntry]
    active: dict[tuple[str, bytes], ScratchpadEntry]
    forgotten: dict[tuple[str, bytes], datetime]  # when an entry that said this was deleted (effective time)
    keyed: dict[tuple[str, str], ScratchpadEntry]
    active_count: int  # before the changes
    scratchpad_tokens: float = 0  # an upper bound, before the changes
    opened_active: frozenset[UUID] = frozenset()
    skipped: dict[tuple[str, bytes], ScratchpadEntry] = field(default_factory=dict)
    touched: dict[UUID, str] = field(default_factory=dict)
    added: list[ScratchpadEntry] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    results: list[OperationResult] = field(default_factory=list)
    shown: Mapping[UUID, Sequence[ShownEntry]] = field(
        default_factory=dict
    )  # by call, in order of the numbers
    last_call: tuple[UUID | None, str] = (None, "")  # ID and model, for changes that name no call

    @property
    def is_full(self) -> bool:
        """Whether the relationship has as many entries as its configuration allows, including the changes made here."""
        left = sum(
            row.state != EntryState.ACTIVE for row in self.targets.values() if row.id in self.opened_active
        )
        added = sum(entry.state == EntryState.ACTIVE for entry in self.added)
        return self.active_count - left + added >= self.given.ingestion.max_entries

    @property
    def scratchpad_at_most(self) -> float:
        """An upper bound of the scratchpad's tokens after the changes."""
        texts = {change.entry.id: change.entry.content for change in self.changes if change.entry}
        return self.scratchpad_tokens + sum(tokens_at_most(len(said.encode()), 1) for said in texts.values())

    def turn_of(self, item: Operation | Refusal) -> Turn:
        """The turn an operation is based on: that of the last message it cites, or else the batch's last."""
        turns = {turn.id: turn for turn in self.given.turns}
        cited = [self.given.messages[number - 1] for number in item.messages]
        return turns[max(cited, key=lambda m: m.occurred_at).turn_id] if cited else self.given.turns[-1]

    def said_at(self, operation: Operation) -> datetime:
        return said_at_of(self.given, operation)

    def cited_ids(self, operation: Operation) -> list[UUID]:
        return cited_ids(self.given, operation)

    def origin_of(self, operation: Operation) -> Origin:
        call_id, model = (operation.call_id, operation.model) if operation.call_id else self.last_call
        return Origin(self.turn_of(operation).id, call_id, self.given.instructions.version, model)

    def shown_as(self, operation: Operation) -> ShownEntry:
        """The entry that an operation refers to, as the model saw it."""
        assert operation.entry is not None
        return self.given.entries[operation.entry - 1]

    def target(self, operation: Operation) -> ScratchpadEntry | None:
        """The entry that an update or delete refers to, if it is still as the model saw it."""
        shown = self.shown_as(operation)
        entry = self.targets.get(shown.id)
        fresh = entry is not None and entry.version == shown.version and entry.state == EntryState.ACTIVE
        return entry if fresh else None

    def take_in(self, operation: Operation, entry: ScratchpadEntry, *, reason: str) -> None:
        """Add a new entry that says what the operation says."""
        self.added.append(entry)
        self._find(operation, entry)
        self.changes.append(added(entry, reason=reason, origin=self.origin_of(operation)))
        self.add_result(operation, Verdict.APPLIED, entry_id=entry.id)

    def rewrite(self, operation: Operation, entry: ScratchpadEntry) -> None:
        """Change an entry to what the operation says."""
        before = fields_of(entry)
        self.leave(entry)
        rewrite(entry, operation, self.given)
        self._find(operation, entry)
        self._changed(operation, entry, before, RevisionEvent.UPDATE, operation.reason)
        self.add_result(operation, Verdict.APPLIED, entry_id=entry.id)

    def end(
        self, operation: Operation, entry: ScratchpadEntry, event: RevisionEvent, reason: str, **fields: Any
    ) -> None:
        """Make an entry inactive; `fields` are its new values."""
        before = fields_of(entry)
        for name, value in fields.items():
            setattr(entry, name, value)
        self.leave(entry)
        self._changed(operation, entry, before, event, reason)

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
        ended = {"state": EntryState.SUPERSEDED, "valid_to": valid_to or self.said_at(operation)}
        self.end(operation, entry, event, reason, **ended)

    def rest_on_both(self, operation: Operation, entry: ScratchpadEntry, other: ScratchpadEntry) -> None:
        """Add the citations of `other`, which says the same, so that they are found and forgotten with the entry."""
        before, cited = fields_of(entry), [*other.source_message_ids, *self.cited_ids(operation)]
        entry.source_message_ids = list(dict.fromkeys([*entry.source_message_ids, *cited]))
        if not operation.messages:
            entry.effective_at = max(entry.effective_at, other.effective_at)
        ends = None if "expires_at" in operation.cleared else operation.expires_at or other.expires_at
        date = None if "happens_at" in operation.cleared else operation.happens_at or other.happens_at
        for name, value in of_either(entry, other, happens_at=date, expires_at=ends).items():
            setattr(entry, name, value)
        if fields_of(entry) != before:
            self._changed(
                operation, entry, before, RevisionEvent.UPDATE, f"entry {other.id} says the same now"
            )

    def leave_as_it_is(
        self,
        operation: Operation,
        entry: ScratchpadEntry,
        reason: str,
        *,
        is_new: bool = False,
    ) -> None:
        """Change nothing, but record in the history that the entry was considered."""
        fields = fields_of(entry)
        self.changes.append(
            Change(
                RevisionEvent.NONE,
                None if is_new else fields,
                fields,
                self.said_at(operation),
                reason,
                self.origin_of(operation),
                entry,
            )
        )
        self.add_result(operation, Verdict.NONE, reason, entry.id)

    def _changed(
        self,
        operation: Operation,
        entry: ScratchpadEntry,
        before: dict[str, Any],
        event: RevisionEvent,
        reason: str,
    ) -> None:
        at, origin = self.said_at(operation), self.origin_of(operation)
        self.changes.append(changed(entry, before, event, at=at, reason=reason, origin=origin))

    def _find(self, operation: Operation, entry: ScratchpadEntry) -> None:
        """Add it to the look-ups."""
        self.active[(entry.subject, bytes(entry.content_hash))] = entry
        if entry.single_valued and entry.key:
            self.keyed[(entry.subject, entry.key)] = entry
        self.touched[entry.id] = operation.strategy

    def leave(self, entry: ScratchpadEntry) -> None:
        """Remove the entry from the look-ups. If one of another type says the same, that is found from now on."""
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

    def add_result(
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
            given=self.given,
            shown=self.given.entries if shown is None else shown,
        )
        self.results.append(result)
        return result


def is_single_valued(state: ApplyState, operation: Operation) -> bool:
    """Return whether a new value of the operation's key supersedes the old one, by strategy or configuration."""
    if operation.single_valued is not None:
        return operation.single_valued and operation.key is not None
    return operation.key in state.given.ingestion.single_valued
