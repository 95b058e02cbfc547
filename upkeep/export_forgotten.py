"""Remove what is hidden from an export, so that what a person asked to forget is not exported."""

from typing import Any
from uuid import UUID

from memory.ingestion.results import emptied
from memory.mending.forgotten import Forgotten
from memory.models import RevisionEvent
from summaries.models import SummaryState

Row = dict[str, Any]
_SHOWN = ("shown_message_ids", "reference_message_ids", "shown_entry_ids")


class ForgottenRows(Forgotten):
    """Removes what is hidden from each kind of row."""

    __slots__ = ()

    def turn(self, row: Row) -> Row:
        if row["id"] in self.turns:
            row["error"] = ""
        for message in row["messages"]:
            if message["id"] in self.messages:
                erased_at = message["hidden_at"]
                message |= {"content": "", "metadata": {}, "erased_at": erased_at, "hidden_at": None}
        for operation in row["operations"]:
            cited = [UUID(one) for one in operation.get("message_ids") or ()]
            entry = operation.get("entry_id")
            if self.in_operation(cited, UUID(entry) if entry else None):
                operation |= {"operation": emptied(operation["operation"]), "reason": "", "held_reason": ""}
        return row

    def revision(self, row: Row) -> Row:
        if self.in_revision(row["entry_id"], row["entry_version"]):
            row |= {"before": None, "after": None, "reason": "", **_redacted(row)}
        if self.entries.get(row["entry_id"]) == row["entry_version"]:  # its history ends with the deletion
            row["event"] = RevisionEvent.REDACT
        return row

    def summary(self, row: Row) -> Row:
        if row["state"] == SummaryState.HIDDEN:
            gone = row["made_at"] or row["recorded_at"]
            row |= {"state": SummaryState.ERASED, "text": "", "error": "", "erased_at": gone}
        return row

    def run(self, row: Row) -> Row:
        if self.in_run(row["kind"], row["turn_id"]):
            row |= dict.fromkeys(("rendered", "answer", "error"), "")
            if row["state"] != "pending":
                row |= {"outcome": "", **_redacted(row)}
        return row

    def outbox(self, row: Row) -> Row:
        if row["turn_id"] in self.turns:
            row |= {"content": "", **_redacted(row)}
        return row

    def call(self, row: Row) -> Row:
        shown = [one for name in _SHOWN for one in row[name]]
        if self.in_call(row["purpose"], shown, row["turn_ids"]):
            row |= dict.fromkeys(("system", "prompt", "answer", "error"), "") | _redacted(row)
        return row


def _redacted(row: Row) -> Row:
    return {"redacted_at": row["redacted_at"] or row["recorded_at"]}
