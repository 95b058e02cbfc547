"""What the offline rules answer to the questions of every strategy, on labelled sentences.

`offline_questions.json` has what is right for each question; beside it, the large set of test_offline_sentences is
read again the way each strategy reads, and held to the same kind of floors. `pytest tests/labelled -s` prints them.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from memory.ingestion.strategies.options import KeyedFactsOptions
from memory.ingestion.strategies.vocabulary import Vocabulary
from providers.llm.base import KnownKey, NumberedEntry
from tests.labelled.scratchpad import TYPES
from tests.labelled.strategies import ask, by_one_call, by_two_calls, numbered
from tests.labelled.test_offline_sentences import FLOORS, known_to, labels, score_by

FILE = Path(__file__).with_name("offline_questions.json")
LABELLED: dict[str, Any] = json.loads(FILE.read_text())
CASES: list[dict[str, Any]] = LABELLED["cases"]
AT = datetime.fromisoformat(LABELLED["said_at"])
IDS = [f"{number} {case['said']}" for number, case in enumerate(CASES)]
Reader = Callable[..., list[dict[str, Any]]]
READERS: dict[str, Reader] = {
    "two calls": by_two_calls,
    "scored": partial(by_one_call, "score"),
    "classified": partial(by_one_call, "classify"),
}
# Without the entries in sight, the first of two calls can't tell everything that the second may act on.
LESS_BY_TWO_CALLS = 0.01


@cache
def keys() -> tuple[KnownKey, ...]:
    return Vocabulary(KeyedFactsOptions()).known_keys(TYPES)


def known(case: dict[str, Any]) -> tuple[NumberedEntry, ...]:
    return tuple(
        NumberedEntry(number, one["type"], "user", one["content"], one.get("key"))
        for number, one in enumerate(case["known"], start=1)
    )


def require_matches(found: list[str], patterns: list[str]) -> None:
    assert len(found) == len(patterns), found
    for text, pattern in zip(found, patterns, strict=True):
        assert re.search(pattern, text, re.IGNORECASE), text


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_facts_are_extracted_without_a_look_at_the_entries(case: dict[str, Any]) -> None:
    facts = ask("extract", case["said"], at=AT)["facts"]

    assert [fact.get("forget", False) for fact in facts] == [
        pattern.startswith("?") for pattern in case["extract"]
    ]
    require_matches(
        [fact["content"] for fact in facts], [pattern.removeprefix("?") for pattern in case["extract"]]
    )
    assert all(0.5 < fact["confidence"] <= 1 and fact["messages"] == [1] for fact in facts)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["extract"]], ids=lambda case: str(case["said"])
)
def test_each_fact_is_decided_by_the_number_of_an_entry(case: dict[str, Any]) -> None:
    facts = numbered(ask("extract", case["said"], at=AT)["facts"])

    decisions = ask("decide", case["said"], known(case), at=AT, facts=facts)["decisions"]

    assert [(made["op"], made.get("entry")) for made in decisions] == [
        (op, entry) for op, entry, _ in case["decide"]
    ]
    require_matches(
        [made.get("content", "") for made in decisions], [pattern for *_, pattern in case["decide"]]
    )


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_memories_are_scored_from_1_to_10(case: dict[str, Any]) -> None:
    answer = ask("score", case["said"], known(case), at=AT)

    assert [memory["score"] for memory in answer["memories"]] == [score for score, _ in case["score"]]
    require_matches(
        [memory["content"] for memory in answer["memories"]], [pattern for _, pattern in case["score"]]
    )
    assert [gone["entry"] for gone in answer["forget"]] == case["forget"]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_memories_are_sorted_into_categories(case: dict[str, Any]) -> None:
    answer = ask("classify", case["said"], known(case), at=AT)

    assert [memory["type"] for memory in answer["memories"]] == [type_ for type_, _ in case["classify"]]
    require_matches(
        [memory["content"] for memory in answer["memories"]], [pattern for _, pattern in case["classify"]]
    )
    assert all(memory["confidence"] >= 0.7 for memory in answer["memories"])
    assert [gone["entry"] for gone in answer["forget"]] == case["forget"]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_values_are_recorded_under_the_keys_that_ship(case: dict[str, Any]) -> None:
    answer = ask("record", case["said"], known(case), at=AT, keys=keys())

    recorded = [[memory["key"], memory["value"]] for memory in answer["memories"]]
    assert recorded == case["record"]
    types = {key.name: key.type for key in keys()}
    assert all(memory["type"] == types[memory["key"]] for memory in answer["memories"])
    assert [gone["entry"] for gone in answer["forget"]] == case.get("record_forget", case["forget"])


@pytest.mark.parametrize("of", FLOORS)
@pytest.mark.parametrize("reader", READERS)
def test_every_strategy_reads_about_as_well_as_operations_do(reader: str, of: str) -> None:
    at = datetime.fromisoformat(labels()["said_at"])
    score = score_by(lambda sentence: READERS[reader](sentence["said"], known_to(sentence), at=at), of)
    print(f"\noffline rules, {reader}, {of}: precision {score.precision:.3f}, recall {score.recall:.3f}")
    precision, recall = FLOORS[of]
    less = LESS_BY_TWO_CALLS if reader == "two calls" else 0.0
    assert score.precision >= precision - less
    assert score.recall >= recall - less
