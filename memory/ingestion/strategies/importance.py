"""A small model scores what was said from 1 to 10; what scores enough is kept, by default in the archive.

After Emotion Machine's first version: a tenth of the score is the entry's importance, and what is below the threshold
is left out. If the person's own message says who they are, what they want, must not do or prefer, there is a floor,
whatever the model says, and even if it says nothing or no valid score.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import likely_entries
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import RefusedItem
from memory.ingestion.operations import Operation
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.strategies.floors import Sentences, Told, floor_over, sentences_of, telling_words
from memory.ingestion.strategies.memories import (
    ask_for_memories,
    memories_schema,
    statement,
)
from memory.ingestion.strategies.vocabulary import type_among
from memory.schema_parts import number

HIGHEST = 10
# The only call of importance: memories from the messages, each with a score.
SCORE_SCHEMA = memories_schema("score", score=number(1, HIGHEST))
SaidBy = Mapping[int, Sentences]  # by the number of their message


class ImportanceStrategy(Strategy):
    slug = "importance"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        given = replace(given, entries=likely_entries(given))
        model = given.ingestion.importance.model
        question = Question("score", "score.md", "The memories, as JSON:", SCORE_SCHEMA, model=model)
        floors = given.ingestion.importance.floors
        sentences = {  # of the person; only their own words count
            place: sentences_of(place, message.content, floors)
            for place, message in enumerate(given.messages, start=1)
            if message.role == "user"
        }
        items = ask_for_memories(
            question, given, log, purpose=purpose, keep=lambda item: _scored(item, given, sentences)
        )
        return Proposal(given.entries, [*items, *left_unsaid(items, given, sentences)])


def _made_of(operation: Operation, sentences: SaidBy) -> list[Told]:
    """For each message it cites, the sentence that it was made from."""
    cited = (sentences[message] for message in operation.messages if message in sentences)
    found = (floor_over(operation.content, one) for one in cited)
    return [told for told in found if told is not None]


def _scored(item: dict[str, Any], given: IngestionInput, sentences: SaidBy) -> Operation:
    operation = statement(item, given)
    floors = [told.floor for told in _made_of(operation, sentences) if told.floor]
    floor = max(floors, key=lambda floor: floor.at_least, default=None)
    score = _score(item)
    if score is None and floor is None:
        raise RefusedItem(f"score is not a number from 1 to {HIGHEST}")
    importance = (score or 0.0) / HIGHEST
    if floor is not None and importance < floor.at_least:
        remark = f"not below {floor.at_least:.2f}, as {floor.name} are"
        return replace(operation, importance=floor.at_least, remarks=(*operation.remarks, remark))
    kept_from = given.ingestion.importance.kept_from
    if importance < kept_from:
        raise RefusedItem(f"its importance is {importance:.2f}; what is kept begins at {kept_from:.2f}")
    return replace(operation, importance=importance)


def _score(item: dict[str, Any]) -> float | None:
    try:
        score = float(item["score"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return score if 1 <= score <= HIGHEST and not isinstance(item["score"], bool) else None


def left_unsaid(items: Sequence[Operation], given: IngestionInput, sentences: SaidBy) -> Iterator[Operation]:
    """Operations for sentences with a floor that the answer left out: kept as they were said, unless known already."""
    said = {told for item in items if item.op != "refused" for told in _made_of(item, sentences)}
    forgets = {message for item in items if item.op == "delete" for message in item.messages}
    kept_from = given.ingestion.importance.kept_from
    entries = [telling_words(f"{entry.subject} {entry.content}") for entry in given.entries]
    for told in (told for own in sentences.values() for told in own):
        heard = told.floor is not None and told.floor.at_least >= kept_from
        if not heard or told in said or told.message in forgets:
            continue
        yield _known(told, entries) or _as_said(told, given)


def _known(told: Told, entries: Sequence[frozenset[str]]) -> Operation | None:
    """The operation `known`, if an entry has all the meaningful words. `entries`: those of each."""
    for place, words in enumerate(entries, start=1):
        if told.words <= words:
            raw = {"op": "known", "content": told.text, "entry": place, "messages": [told.message]}
            return Operation(op="known", messages=(told.message,), raw=raw, entry=place)
    return None


def _as_said(told: Told, given: IngestionInput) -> Operation:
    assert told.floor is not None
    floor, content = told.floor, f'Said: "{told.text}"'
    type, remarks = type_among(floor.type, given.ingestion.type_names)
    return Operation(
        op="add",
        messages=(told.message,),
        raw={"op": "add", "content": content, "floor": floor.name, "messages": [told.message]},
        type=type,
        content=content,
        importance=floor.at_least,
        remarks=(
            f"not below {floor.at_least:.2f}, as {floor.name} are; the model said nothing of it",
            *remarks,
        ),
    )
