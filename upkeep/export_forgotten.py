"""Takes out of an export what was hidden: whoever asked to have it forgotten does not find it in what is handed out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.ingestion.results import emptied
from memory.models import EntryState, MendingPlan, MendingState, ScratchpadEntry
from relationships.models import Message

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Messages that are hidden, since when; entries that are hidden; versions up to which others said more."""

    messages: Mapping[UUID, Any]
    entries: frozenset[UUID]
    edited: Mapping[UUID, int]
    turns: frozenset[UUID]

    @classmethod
    def of(cls, relationship_id: UUID) -> "Forgotten":
        hidden = Message.objects.for_relationship(relationship_id).exclude(hidden_at=None)
        messages = {row.id: row for row in hidden.only("id", "turn_id", "hidden_at")}
        plans = MendingPlan.objects.for_relationship(relationship_id).filter(
            state=MendingState.CARRIED_OUT, verb="forget"
        )
        done = [item for plan in plans for item in plan.items if item["kind"] == "entry" and item["done"]]
        deleted = ScratchpadEntry.objects.for_relationship(relationship_id).filter(state=EntryState.DELETED)
        entries = {
            row.id
            for row in deleted.only("id", "source_message_ids")
            if any(str(row.id) == item["id"] for item in done)
            or not messages.keys().isdisjoint(row.source_message_ids)
        }
        edited = {UUID(item["id"]): item["version"] for item in done if item["action"] == "edit"}
        turns = {row.turn_id for row in messages.values()}
        return cls(
            {key: row.hidden_at for key, row in messages.items()},
            frozenset(entries),
            edited,
            frozenset(turns),
        )

    def turn(self, row: Row) -> Row:
        if row["id"] in self.turns:
            row["error"] = ""
        for message in row["messages"]:
            if message["id"] in self.messages:
                message |= {
                    "content": "",
                    "metadata": {},
                    "erased_at": message["hidden_at"],
                    "hidden_at": None,
                }
        for operation in row["operations"]:
            cited = {UUID(one) for one in operation.get("message_ids") or ()}
            entry = operation.get("entry_id")
            hidden = entry is not None and (UUID(entry) in self.entries or UUID(entry) in self.edited)
            if hidden or not self.messages.keys().isdisjoint(cited):
                operation |= {"operation": emptied(operation["operation"]), "reason": "", "held_reason": ""}
        return row

    def kept_entries(self, rows: Iterator[Row]) -> Iterator[Row]:
        return (row for row in rows if row["id"] not in self.entries)

    def revision(self, row: Row) -> Row:
        entry = row["entry_id"]
        if entry in self.entries or row["entry_version"] <= self.edited.get(entry, 0):
            row |= {
                "before": None,
                "after": None,
                "reason": "",
                "redacted_at": row["redacted_at"] or row["recorded_at"],
            }
        return row

    def call(self, row: Row) -> Row:
        shown = {*row["shown_message_ids"], *row["reference_message_ids"], *row["shown_entry_ids"]}
        quoted = self.messages.keys() | self.entries | self.edited.keys()
        if shown & quoted or self.turns & set(row["turn_ids"]):
            row |= dict.fromkeys(("system", "prompt", "answer", "error"), "")
            row["redacted_at"] = row["redacted_at"] or row["recorded_at"]
        return row
