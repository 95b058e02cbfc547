"""Remove from a turn's trace what was hidden since: the text itself, and what quotes it."""

from dataclasses import dataclass

from memory.ingestion.results import emptied
from memory.mending.forgotten import Forgotten
from memory.models import EntryRevision, ModelCall, OperationResult
from relationships.models import Message, Turn


@dataclass(slots=True)
class Traced:
    """A turn with everything that its trace shows."""

    turn: Turn
    remembered: list[EntryRevision]
    messages: list[Message]
    operations: list[OperationResult]
    calls: list[ModelCall]


def leave_out_hidden(what: Traced) -> None:
    """Empty the rows in memory; nothing is written."""
    forgotten = Forgotten.of(what.turn.relationship_id)
    what.messages = [message for message in what.messages if message.id not in forgotten.messages]
    if what.turn.id in forgotten.turns:
        what.turn.error = ""
    for revision in what.remembered:
        if forgotten.in_revision(revision.entry_id, revision.entry_version):
            revision.after = None
    for result in what.operations:
        if forgotten.in_operation(result.message_ids, result.entry_id):
            result.operation, result.reason = emptied(result.operation), ""
    for call in what.calls:
        shown = [*call.shown_message_ids, *call.reference_message_ids, *call.shown_entry_ids]
        if forgotten.in_call(call.purpose, shown, call.turn_ids):
            call.system = call.prompt = call.answer = call.error = ""
