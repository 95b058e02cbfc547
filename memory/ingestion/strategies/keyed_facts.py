"""The model must call a tool that records values under keys of a strict vocabulary; a new value supersedes the old.

After "Building AI agent memory": a key has one value, which is stored and embedded as `key: value`; nearly equal keys
are the same; what fits no key is refused, visibly; a value is valid from when it was said until another supersedes it;
and every fact cites its messages. Events, and keys for which a companion says so, may have several values, as what
happens to a person does not supersede what happened before.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import likely_entries
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import (
    RefusedItem,
    cited_messages,
    cleaned,
    confidence_in,
    entry_number,
    short,
    subject_in,
    text_of,
)
from memory.ingestion.operations import Operation
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.strategies.memories import ENTRY, ask_for_memories
from memory.ingestion.strategies.options import FactKey
from memory.ingestion.strategies.vocabulary import Vocabulary, fact_text, type_among
from memory.schema_parts import FORGET, NUMBERS, TEXT, WISHES, answer_of, list_of, number
from providers.llm.base import ToolSpec

RECORD_TOOL = "record_memories"


class KeyedFactsStrategy(Strategy):
    slug = "keyed_facts"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        given = replace(given, entries=likely_entries(given))
        vocabulary = Vocabulary(given.ingestion.keyed_facts)
        question, record = _question(given, vocabulary), _recorder(given, vocabulary)
        items = ask_for_memories(question, given, log, purpose=purpose, keep=record)
        # What should be forgotten comes first, as the rest of its value is recorded again in its place.
        items.sort(key=lambda item: item.op != "delete")
        return Proposal(given.entries, items)


def _question(given: IngestionInput, vocabulary: Vocabulary) -> Question:
    types = given.ingestion.type_names
    keys = vocabulary.known_keys(types)
    tool = ToolSpec(
        name=RECORD_TOOL,
        description="Records what the new messages say of the person, under the keys there are.",
        parameters=record_schema([key.name for key in keys], types),
    )
    return Question(
        "record",
        "record.md",
        f"Call {RECORD_TOOL}.",
        schema=None,
        tool=tool,
        shows_types=False,
        keys=keys,
        variables={"tool": RECORD_TOOL, "keys": keys},
    )


def _recorder(given: IngestionInput, vocabulary: Vocabulary) -> Callable[[dict[str, Any]], Operation]:
    """Return a function that makes an operation from a value. The key decides on type and number of values."""
    least = given.ingestion.keyed_facts.confident_from

    def record(item: dict[str, Any]) -> Operation:
        named = cleaned(item.get("key")).strip()
        key = vocabulary.find(named)
        if key is None:
            raise RefusedItem(f"key {named!r:.60} is not in the vocabulary")
        confidence = confidence_in(item, least)
        messages = cited_messages(item, given)
        type, remarks = type_among(key.type, given.ingestion.type_names)
        entry = _said_anew(item, key, given)
        op = "update" if entry else "add"
        return Operation(
            op=op,
            entry=entry,
            messages=messages,
            raw={**short(item), "op": op},
            type=type,
            content=fact_text(key, text_of(item, "value")),
            subject=subject_in(item, given),
            key=key.name,
            single_valued=key.single_valued,
            confidence=confidence,
            valid_from=max(given.messages[number - 1].occurred_at for number in messages),
            remarks=remarks if named == key.name else (*remarks, f"key {named!r:.60} is {key.name} here"),
        )

    return record


def _said_anew(item: dict[str, Any], key: FactKey, given: IngestionInput) -> int | None:
    """For a key with several values: the number of the shown value that this one rephrases. Raises RefusedItem."""
    if key.single_valued or item["op"] == "add":
        return None
    number = entry_number(item, given.entries)
    return number if given.entries[number - 1].key == key.name else None


def record_schema(keys: Sequence[str], types: Sequence[str]) -> dict[str, Any]:
    """The parameters of RECORD_TOOL. They list the keys, as one outside the vocabulary is refused."""
    return answer_of(
        memories=list_of(
            {
                "type": {"type": "string", "enum": list(types)},
                "key": {"type": "string", "enum": list(keys)},
                "value": {"type": "string", "description": "the value alone, such as Lisbon"},
                "confidence": number(0, 1),
                "subject": TEXT,
                "entry": ENTRY,
                "messages": NUMBERS,
            },
            required=["type", "key", "value", "confidence", "messages"],
        ),
        forget=FORGET,
        wishes=WISHES,
    )
