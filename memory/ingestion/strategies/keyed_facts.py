"""The model must call a tool that records values under keys of a strict vocabulary; a new value supersedes the old.

After "Building AI agent memory": nearly the same keys are one, what fits no key is refused where it can be seen, a
value holds from when it was said until another takes its place, and every fact cites the messages it rests on.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import likely_entries, texts_of
from memory.ingestion.items import RefusedItem, cited_messages, cleaned, share_in, short, subject_in, text_of
from memory.ingestion.operations import Operation
from memory.ingestion.prompt import Question
from memory.ingestion.reading import Reading
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.strategies.memories import judge_memories, parse_memories
from memory.ingestion.strategies.record_schema import RECORD_TOOL, record_schema
from memory.ingestion.strategies.vocabulary import Vocabulary, sentence_of, type_among
from memory.providers.base import ToolSpec


class KeyedFactsStrategy(Strategy):
    slug = "keyed_facts"

    def propose(self, reading: Reading, log: CallLog, *, purpose: str) -> Proposal:
        reading = replace(reading, entries=likely_entries(reading, texts_of(reading)))
        vocabulary = Vocabulary(reading.ingestion.keyed_facts)
        question = _question(reading, vocabulary)
        answer = ask(question, reading, log, purpose=purpose, parse=parse_memories)
        items = judge_memories(answer, reading, _recorder(reading, vocabulary))
        return Proposal(reading.entries, items, reading.tier)


def _question(reading: Reading, vocabulary: Vocabulary) -> Question:
    types = [entry_type.name for entry_type in reading.ingestion.types]
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


def _recorder(reading: Reading, vocabulary: Vocabulary) -> Callable[[dict[str, Any]], Operation]:
    """Makes an operation of each value. What a key says of its type and number of values goes before the model."""
    least = reading.ingestion.keyed_facts.confident_from
    types = [entry_type.name for entry_type in reading.ingestion.types]

    def record(item: dict[str, Any]) -> Operation:
        named = cleaned(item.get("key")).strip()
        key = vocabulary.find(named)
        if key is None:
            raise RefusedItem(f"key {named!r:.60} is not in the vocabulary")
        confidence = share_in(item, "confidence", [])
        if confidence is None:
            raise RefusedItem("confidence is not a number from 0 to 1")
        if confidence < least:
            raise RefusedItem(f"its confidence is {confidence:.2f}; what is kept begins at {least:.2f}")
        messages = cited_messages(item, reading)
        return Operation(
            op="add",
            messages=messages,
            raw={**short(item), "op": "add"},
            type=type_among(key.type, types),
            content=sentence_of(key, text_of(item, "value")),
            subject=subject_in(item),
            key=key.name,
            single_valued=key.single_valued,
            confidence=confidence,
            valid_from=max(reading.messages[number - 1].occurred_at for number in messages),
            remarks=() if named == key.name else (f"key {named!r:.60} is {key.name} here",),
        )

    return record
