"""How well the offline rules read: precision and recall on labelled sentences, printed and held to floors.

The labels and the sets are in offline_sentences.json. `pytest tests/labelled -s` prints the table.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from providers.llm.base import NumberedEntry
from tests.labelled.scratchpad import Scratchpad

FILE = Path(__file__).with_name("offline_sentences.json")
# (precision, recall). `last` was written when the rules were done: it says most about what people will say.
FLOORS = {"seen": (1.0, 0.93), "held_out": (1.0, 0.94), "last": (0.95, 0.65)}


@dataclass
class Score:
    """Operations that were right, superfluous, and missing."""

    right: int = 0
    superfluous: int = 0
    missing: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.superfluous)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missing)


@cache
def labels() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FILE.read_text())
    return loaded


def sentences(of: str) -> Iterator[dict[str, Any]]:
    return (sentence for sentence in labels()["sentences"] if sentence["set"] == of)


def known_to(sentence: dict[str, Any]) -> tuple[NumberedEntry, ...]:
    return tuple(
        NumberedEntry(one["number"], one["type"], one["subject"], one["content"], one.get("key"))
        for one in sentence.get("known", [])
    )


def operations_for(sentence: dict[str, Any]) -> list[dict[str, Any]]:
    pad = Scratchpad(known_to(sentence), timezone=labels()["timezone"])
    return pad.hear(sentence["said"], at=datetime.fromisoformat(labels()["said_at"]))


def is_right(wanted: dict[str, Any], operation: dict[str, Any]) -> bool:
    if wanted["op"] != operation["op"] or wanted.get("entry") != operation.get("entry"):
        return False
    if wanted["op"] != "delete" and not re.search(wanted["content"], operation["content"], re.IGNORECASE):
        return False
    if wanted["op"] == "add" and (
        operation["type"] not in wanted["types"] or operation["subject"] != wanted["subject"]
    ):
        return False
    return "happens_at" not in wanted or wanted["happens_at"] == operation.get("happens_at")


def take_replacement(wanted: dict[str, Any], operations: list[dict[str, Any]]) -> bool:
    """A contradiction may also be a delete and an add, which together say what an update would."""
    if wanted["op"] != "update":
        return False
    removal = next((o for o in operations if o["op"] == "delete" and o["entry"] == wanted.get("entry")), None)
    addition = next(
        (o for o in operations if o["op"] == "add" and re.search(wanted["content"], o["content"], re.I)), None
    )
    if removal is None or addition is None:
        return False
    operations.remove(removal)
    operations.remove(addition)
    return True


def score_by(read: Callable[[dict[str, Any]], list[dict[str, Any]]], of: str) -> Score:
    """How right the operations are that `read` finds in each sentence of a set."""
    score = Score()
    for sentence in sentences(of):
        operations = read(sentence)
        for wanted in sentence["expect"]:
            hit = next((operation for operation in operations if is_right(wanted, operation)), None)
            if hit is not None:
                operations.remove(hit)
            if hit is not None or take_replacement(wanted, operations):
                score.right += 1
            else:
                score.missing += 1
        score.superfluous += len(operations)
    return score


def test_the_labelled_sentences_are_many_and_a_third_of_them_keeps_nothing() -> None:
    every = labels()["sentences"]
    silent = [sentence for sentence in every if not sentence["expect"]]
    assert len(every) >= 150
    assert len(silent) >= len(every) // 4
    assert len({sentence["said"] for sentence in every}) >= 0.98 * len(every)


@pytest.mark.parametrize("of", FLOORS)
def test_the_rules_reach_their_floor_on_labelled_sentences(of: str) -> None:
    score = score_by(operations_for, of)
    total = sum(1 for _ in sentences(of))
    print(
        f"\noffline rules, {total:3} sentences {of:8}: precision {score.precision:.3f}, recall {score.recall:.3f}"
        f" ({score.right} right, {score.superfluous} superfluous, {score.missing} missing)"
    )
    precision, recall = FLOORS[of]
    assert score.precision >= precision
    assert score.recall >= recall


def test_what_should_keep_nothing_keeps_nothing_in_the_sets_the_rules_know() -> None:
    wrong = [
        sentence["said"]
        for of in ("seen", "held_out")
        for sentence in sentences(of)
        if not sentence["expect"] and operations_for(sentence)
    ]
    assert wrong == []
