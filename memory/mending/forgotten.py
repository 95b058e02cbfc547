"""Find what is hidden in a relationship, and what quotes it. Exports and traces leave out both."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from django.db.models import Q

from memory.models import EntryState, MendingPlan, MendingState, MendingVerb, ScratchpadEntry
from relationships.models import Message, MessageRole


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Hidden messages, with since when; hidden entries, with their versions; and entries of which a part was forgotten,
    with the last version that had it, and when it went.
    """

    messages: Mapping[UUID, datetime]
    entries: Mapping[UUID, int]
    edited: Mapping[UUID, int]
    edited_at: Mapping[UUID, datetime]
    turns: frozenset[UUID]  # with a hidden message
    said_in: frozenset[UUID]  # with a hidden message that is not a reply

    @classmethod
    def of(cls, relationship_id: UUID) -> Self:
        hidden = Message.objects.for_relationship(relationship_id).filter(hidden_at__isnull=False)
        messages = {row.id: row for row in hidden.only("id", "turn_id", "role", "hidden_at")}
        plans = MendingPlan.objects.for_relationship(relationship_id).filter(
            state=MendingState.CARRIED_OUT, verb=MendingVerb.FORGET
        )
        done = [
            (UUID(item["id"]), item, plan.carried_out_at)
            for plan in plans.order_by("carried_out_at")
            for item in plan.items
            if item["kind"] == "entry" and item["done"]
        ]
        by_plan = {entry_id for entry_id, _, _ in done}
        deleted = ScratchpadEntry.objects.for_relationship(relationship_id).filter(state=EntryState.DELETED)
        entries = {
            row.id: row.version
            for row in deleted.only("id", "version", "source_message_ids")
            if row.id in by_plan or not messages.keys().isdisjoint(row.source_message_ids)
        }
        edited = [one for one in done if one[1]["action"] == "edit"]
        return cls(
            {key: row.hidden_at for key, row in messages.items()},
            entries,
            {entry_id: item["version"] for entry_id, item, _ in edited},
            {entry_id: at for entry_id, _, at in edited},
            frozenset(row.turn_id for row in messages.values()),
            frozenset(row.turn_id for row in messages.values() if row.role != MessageRole.ASSISTANT),
        )

    @property
    def anything(self) -> bool:
        return bool(self.messages or self.entries or self.edited)

    @property
    def parts(self) -> set[UUID]:
        """The entries that were forgotten, in whole or in part."""
        return {*self.entries, *self.edited}

    def in_operation(self, cited: Iterable[UUID], entry_id: UUID | None) -> bool:
        return entry_id in self.parts or not self.messages.keys().isdisjoint(cited)

    @property
    def revisions(self) -> Q:
        """The condition of `in_revision` for a query."""
        said = Q(entry_id__in=self.entries.keys())
        for entry_id, version in self.edited.items():
            said |= Q(entry_id=entry_id, entry_version__lte=version)
        return said

    def in_revision(self, entry_id: UUID, version: int) -> bool:
        return entry_id in self.entries or version <= self.edited.get(entry_id, 0)

    def in_run(
        self, kind: str, turn_id: UUID | None, entry_ids: Iterable[UUID], fired_at: datetime | None
    ) -> bool:
        """Return whether a run may quote it. For a context that led to no turn, that is unknown."""
        unknown = self.anything and kind == "priority" and turn_id is None
        return unknown or turn_id in self.turns or self.in_dated(entry_ids, fired_at)

    def in_dated(self, entry_ids: Iterable[UUID], fired_at: datetime | None) -> bool:
        """Return whether a run that fired then may quote it, because of these entries. What it read of an entry after a
        part of it went does not."""
        return any(
            one in self.entries
            or (one in self.edited and (fired_at is None or fired_at <= self.edited_at[one]))
            for one in entry_ids
        )

    def in_call(self, purpose: str, shown: Collection[UUID], turn_ids: Iterable[UUID]) -> bool:
        """Return whether a call may quote it. One that judged a wish quotes the wish, in whatever words."""
        quoted = {*self.messages, *self.parts}
        wish = purpose in MendingVerb.values and self.anything
        return wish or not quoted.isdisjoint(shown) or not self.turns.isdisjoint(turn_ids)
