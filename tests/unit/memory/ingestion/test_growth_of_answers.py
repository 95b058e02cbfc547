"""What a model answers is held against what was said, in time that grows with both, not with their product."""

import json
from typing import Any

import pytest

from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import check_operations, parse_answer
from memory.ingestion.strategies.eroded_updates import ask_about_losses
from memory.ingestion.unasked import UNASKED, leave_what_nobody_asked
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
