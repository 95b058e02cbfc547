"""What turns keep of their operations: finds those that are about an entry, and empties them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.models import ModelCall
from memory.services.erasure.judgements import emptied, numbers_in, rests_on, speaks_of
from memory.services.erasure.words import Words, numbers_shown
from relationships.models import Message, Turn

NONE: frozenset[int] = frozenset()
NO_CALL = UUID(int=0)


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
    citations: list[_Citation] = []
    rows = Turn.objects.for_relationship(relationship_id).exclude(operations=[], error="")
    for turn_id, operations, error, call_ids in rows.values_list(
        "id", "operations", "error", "model_call_ids"
    ).iterator():
        about = [
            item
            for item in operations
            if speaks_of(item, words, shown_as=shown.get(_call_of(item, call_ids), NONE))
        ]
        if about or words.quoted_in(error):
            traces.turns.add(turn_id)
        citations += [_Citation(turn_id, _call_of(item, call_ids), _cited_numbers(item)) for item in about]
    traces.cited = _messages_of(relationship_id, citations)
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
    spoken_in = turns_of(relationship_id, message_ids)
    turns = Turn.objects.for_relationship(relationship_id).filter(
        Q(id__in=traces.turns | spoken_in) | Q(model_call_ids__overlap=list(message_numbers))
    )
    found = list(turns.only("id", "operations", "model_call_ids"))
    known = _known_calls(
        relationship_id, {_call_of(item, turn.model_call_ids) for turn in found for item in turn.operations}
    )
    done = Emptied()
    for turn in found:
        kept: list[Any] = []
        for item in turn.operations:
            call_id = _call_of(item, turn.model_call_ids)
            entries_as, messages_as = entry_numbers.get(call_id, NONE), message_numbers.get(call_id, NONE)
            in_doubt = turn.id in spoken_in and call_id not in known
            about = in_doubt or speaks_of(item, words, shown_as=entries_as)
            if about or rests_on(item, shown_as=messages_as):
                item = emptied(item)
                done.entries.update([UUID(item["entry_id"])] if item["entry_id"] else [])
            kept.append(item)
        if kept != turn.operations or turn.id in traces.turns:
            Turn.objects.for_relationship(relationship_id).filter(id=turn.id).update(
                operations=kept, error=""
            )
            done.turns.add(turn.id)
    return done


@dataclass(frozen=True, slots=True)
class _Citation:
    """The numbers that one of a turn's operations cites, of the messages that its call showed."""

    turn_id: UUID
    call_id: UUID
    numbers: frozenset[int]


def _call_of(item: dict[str, Any], call_ids: Sequence[UUID]) -> UUID:
    """The call whose answer an operation is of: it says so itself; else the last that was made for its turn."""
    if item.get("call_id"):
        return UUID(item["call_id"])
    return call_ids[-1] if call_ids else NO_CALL


def _cited_numbers(item: dict[str, Any]) -> frozenset[int]:
    raw = item["operation"]
    return numbers_in(raw.get("messages")) if isinstance(raw, dict) else NONE


def _messages_of(relationship_id: UUID, citations: Sequence[_Citation]) -> set[UUID]:
    """The messages cited. Where the call is not there (an import may come without), all that the turn holds."""
    calls = ModelCall.objects.for_relationship(relationship_id)
    call_ids = {citation.call_id for citation in citations}
    shown = dict(calls.filter(id__in=call_ids).values_list("id", "shown_message_ids"))
    cited = {
        message_id
        for citation in citations
        for number, message_id in enumerate(shown.get(citation.call_id, []), start=1)
        if number in citation.numbers
    }
    in_doubt = [citation.turn_id for citation in citations if citation.call_id not in shown]
    messages = Message.objects.for_relationship(relationship_id).filter(turn_id__in=in_doubt)
    return cited | set(messages.values_list("id", flat=True))


def _known_calls(relationship_id: UUID, call_ids: Iterable[UUID]) -> set[UUID]:
    calls = ModelCall.objects.for_relationship(relationship_id).filter(id__in=list(call_ids))
    return set(calls.values_list("id", flat=True))
