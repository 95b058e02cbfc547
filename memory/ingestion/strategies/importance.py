"""A small model scores what was said from 1 to 10; what scores enough is kept, by default in the archive.

After Emotion Machine's first version: a tenth of the score is the entry's importance, what tells of who a person is,
what they want, may not or prefer has a floor, and what comes to less than the threshold is left out.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import likely_entries, texts_of
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.items import RefusedItem
from memory.ingestion.operations import Operation
from memory.ingestion.prompt import Question
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.strategies.memories import (
    judge_memories,
    memories_schema,
    parse_memories,
    remarked,
    statement,
)
from memory.ingestion.strategies.options import Floor
from memory.ingestion.strategies.schema_parts import number

HIGHEST = 10
# The one call of importance: memories of the messages, each scored.
SCORE_SCHEMA = memories_schema("score", score=number(1, HIGHEST))


class ImportanceStrategy(Strategy):
    slug = "importance"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        given = replace(given, entries=likely_entries(given, texts_of(given)))
        model = given.ingestion.importance.model
        question = Question("score", "score.md", "The memories, as JSON:", SCORE_SCHEMA, model=model)
        answer = ask(question, given, log, purpose=purpose, parse=parse_memories)
        items = judge_memories(answer, given, lambda item: _scored(item, given))
        return Proposal(given.entries, items, given.tier)


def importance_of(score: float, content: str, floors: Iterable[Floor]) -> tuple[float, str]:
    """A tenth of the score, and which floor lifted it ("" none did)."""
    importance, lifted = score / HIGHEST, ""
    for floor in floors:
        if importance < floor.at_least and _told_by(floor.phrases).search(content):
            importance, lifted = floor.at_least, floor.name
    return importance, lifted


def _scored(item: dict[str, Any], given: IngestionInput) -> Operation:
    options = given.ingestion.importance
    operation = statement(item, given)
    importance, lifted = importance_of(_score(item), operation.content, options.floors)
    if importance < options.kept_from:
        raise RefusedItem(
            f"its importance is {importance:.2f}; what is kept begins at {options.kept_from:.2f}"
        )
    operation = replace(operation, importance=importance)
    return remarked(operation, f"not below {importance:.2f}, as {lifted} are") if lifted else operation


def _score(item: dict[str, Any]) -> float:
    try:
        score = float(item["score"])
    except (KeyError, TypeError, ValueError, OverflowError):
        score = 0.0
    if isinstance(item.get("score"), bool) or not 1 <= score <= HIGHEST:
        raise RefusedItem(f"score is not a number from 1 to {HIGHEST}")
    return score


@lru_cache(maxsize=256)
def _told_by(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the phrases, as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?!\w)", re.IGNORECASE)
