"""What a model answers is held against what was said, in time that grows with both, not with their product."""

import json
from dataclasses import replace
from typing import Any

import pytest

from memory.ingestion.apply import carry_out_all
from memory.ingestion.apply_state import ApplyState
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import check_operations, parse_answer
from memory.ingestion.strategies.lossy_updates import ask_about_losses
from memory.ingestion.unrequested_deletions import UNASKED, leave_what_nobody_asked
from tests.growth import MOST, growth
from tests.unit.memory.ingestion.readings import ingestion_input, shown

WORDS = 300  # of a message
PLACES = ("rue", "Straße", "улица", "Square")


def told(number: int, words: int) -> str:
    return " ".join(f"{PLACES[word % 4]}{number:x}q{word:x}" for word in range(words))


def made(op: str, size: int) -> tuple[IngestionInput, str]:
    """As many messages as operations, each of which cites all of them and says nothing of them."""
    entries = [shown(f"Ходит на Xcourse{number:x} with Олег{number:x}") for number in range(4 * size)]
    given = ingestion_input(*[told(number, WORDS) for number in range(size)], entries=entries)
    cited: dict[str, Any] = {"op": op, "messages": list(range(1, size + 1))}
    operations = [
        {**cited, "entry": number, "content": f"Walks with Yann{number:x}"} for number in range(1, size + 1)
    ]
    return given, json.dumps({"operations": operations})


def judged(case: tuple[IngestionInput, str]) -> list[str]:
    given, answer = case
    items = check_operations(parse_answer(answer), given)
    items = ask_about_losses(items, given, answer, lambda *_: [], again="", reasoned=True)
    return [item.reason for item in leave_what_nobody_asked(items, given, ())]


@pytest.mark.parametrize("op", ["delete", "update", "replace"])
def test_operations_that_all_cite_many_messages_are_judged_in_time_that_grows_with_them(op: str) -> None:
    assert {UNASKED} == {*judged(made("delete", 3))}
    assert growth(judged, lambda size: made(op, size), size=12) < MOST


def about_others(size: int) -> tuple[IngestionInput, str]:
    entries = [shown(f"Walks with Oleg{number:x}", subject=f"Anna{number:x}") for number in range(10 * size)]
    operations = [
        {"op": "update", "entry": number, "content": f"Anna{number + 1:x} swims {number:x}", "messages": [1]}
        for number in range(1, size + 1)
    ]
    return ingestion_input("Hi", entries=entries), json.dumps({"operations": operations})


def test_updates_beside_entries_about_many_people_are_judged_in_time_that_grows_with_both() -> None:
    assert growth(judged, about_others, size=50) < MOST


def test_additions_beside_many_entries_are_judged_in_time_that_grows_with_both() -> None:
    def many(size: int) -> tuple[IngestionInput, str]:
        entries = [shown(f"Walks with Oleg{number:x}") for number in range(60 * size)]
        operations = [{"op": "add", "content": f"Swims {n:x}", "messages": [1]} for n in range(size)]
        return ingestion_input("Hi", entries=entries), json.dumps({"operations": operations})

    assert growth(judged, many, size=15) < MOST


def test_operations_that_all_cite_a_large_batch_read_each_of_its_messages_once() -> None:
    def batch(size: int) -> tuple[IngestionInput, str]:
        given, answer = made("replace", 10)
        said = [replace(given.messages[0], content=told(number, 30)) for number in range(size)]
        raw = json.loads(answer)["operations"]
        cited = [{**operation, "messages": list(range(1, size + 1))} for operation in raw]
        return replace(given, messages=tuple(said)), json.dumps({"operations": cited})

    assert growth(judged, batch, size=40) < MOST


def test_what_is_refused_of_a_long_answer_is_numbered_in_time_that_grows_with_it() -> None:
    given = ingestion_input("Hi")

    def numbered(answer: list[Any]) -> list[int]:
        state = ApplyState(given, given.messages[0].occurred_at)
        carry_out_all(state, check_operations(answer, given))
        return [result.number for result in state.results]

    assert numbered([0] * 3) == [0, 1, 2]
    assert growth(numbered, lambda size: [0] * size, size=1500) < MOST
