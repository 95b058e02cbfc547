"""What turns keep of their operations: finds those that are about an entry, and empties them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.models import ModelCall
from memory.services.erasure.judgements import emptied, numbers_in, rests_on, speaks_of
from memory.services.erasure.words import Numbers, Words, numbers_shown
from relationships.models import Message, Turn

NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class Traces:
    """Turns with an operation about what is to be forgotten, and the messages that such operations rest on."""

    turns: set[UUID] = field(default_factory=set)
    cited: set[UUID] = field(default_factory=set)


@dataclass(slots=True)
class Emptied:
    """Turns of which something was emptied, and the entries that the emptied operations were about."""

    turns: set[UUID] = field(default_factory=set)
    entries: set[UUID] = field(default_factory=set)


def find_traces(relationship_id: UUID, words: Words) -> Traces:
    """Reads every operation of the relationship once: one may quote an entry that it does not name."""
    shown = numbers_shown(relationship_id, "shown_entry_ids", words.entries)
    traces = Traces()
    numbers_by_call: dict[UUID, set[int]] = {}
    rows = Turn.objects.for_relationship(relationship_id).exclude(operations=[], error="")
    for turn_id, operations, error, call_ids in rows.values_list(
        "id", "operations", "error", "model_call_ids"
    ).iterator():
        shown_as = _of_last_call(call_ids, shown)
        about = [item for item in operations if speaks_of(item, words, shown_as=shown_as)]
        if about or words.quoted_in(error):
            traces.turns.add(turn_id)
        if call_ids:
            numbers_by_call.setdefault(call_ids[-1], set()).update(*map(_cited_numbers, about))
    traces.cited = _messages_at(relationship_id, numbers_by_call)
    return traces


def turns_of(relationship_id: UUID, message_ids: Iterable[UUID]) -> set[UUID]:
    messages = Message.objects.for_relationship(relationship_id).filter(id__in=list(message_ids))
    return set(messages.values_list("turn_id", flat=True))


def empty_operations(
    relationship_id: UUID, words: Words, traces: Traces, message_ids: Iterable[UUID]
) -> Emptied:
    """Empty what is about the words or rests on these messages. The other operations of a turn stay."""
    entry_numbers = numbers_shown(relationship_id, "shown_entry_ids", words.entries)
    message_numbers = numbers_shown(relationship_id, "shown_message_ids", message_ids)
    concerned = Q(id__in=traces.turns) | Q(model_call_ids__overlap=list(message_numbers))
    done = Emptied()
    turns = Turn.objects.for_relationship(relationship_id)
    for turn in turns.filter(concerned).only("id", "operations", "model_call_ids").iterator():
        entries_as = _of_last_call(turn.model_call_ids, entry_numbers)
        messages_as = _of_last_call(turn.model_call_ids, message_numbers)
        kept: list[Any] = []
        for item in turn.operations:
            if speaks_of(item, words, shown_as=entries_as) or rests_on(item, shown_as=messages_as):
                item = emptied(item)
                done.entries.update([UUID(item["entry_id"])] if item["entry_id"] else [])
            kept.append(item)
        if kept != turn.operations or turn.id in traces.turns:
            turns.filter(id=turn.id).update(operations=kept, error="")
            done.turns.add(turn.id)
    return done


def _of_last_call(call_ids: Sequence[UUID], numbers: Numbers) -> frozenset[int]:
    """A turn's operations are those of the last call that was made for it."""
    return numbers.get(call_ids[-1], NONE) if call_ids else NONE


def _cited_numbers(item: dict[str, Any]) -> frozenset[int]:
    raw = item["operation"]
    return numbers_in(raw.get("messages")) if isinstance(raw, dict) else NONE


def _messages_at(relationship_id: UUID, numbers_by_call: dict[UUID, set[int]]) -> set[UUID]:
    """The messages that were shown at these numbers."""
    wanted = [call_id for call_id, numbers in numbers_by_call.items() if numbers]
    calls = ModelCall.objects.for_relationship(relationship_id).filter(id__in=wanted)
    return {
        message_id
        for call_id, shown in calls.values_list("id", "shown_message_ids")
        for number, message_id in enumerate(shown, start=1)
        if number in numbers_by_call[call_id]
    }
