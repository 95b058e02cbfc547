import json
from typing import Any

import pytest

from memory.errors import UnparsableAnswer
from memory.ingestion.operations import Operation
from memory.ingestion.strategies.memories import check_memories, statement
from tests.unit.memory.ingestion.readings import ingestion_input, shown

TEA = {"content": "Likes tea", "type": "preference", "messages": [1]}


def check(answer: str) -> list[Operation]:
    entries = [shown("Likes coffee"), shown("Is called Max", read_only=True)]
    read = ingestion_input("I like tea.", entries=entries)
    return check_memories(answer, read, lambda item: statement(item, read))


def judge(*keep: Any, forget: tuple[Any, ...] = ()) -> list[Operation]:
    return check(json.dumps({"memories": keep, "forget": forget}))


def test_an_answer_may_leave_out_what_is_to_be_forgotten() -> None:
    assert check(json.dumps({"memories": [TEA]}))[0].op == "add"
    assert check('{"memories": [], "forget": null}') == []


@pytest.mark.parametrize(
    "text", ["", '{"memory": []}', '{"memories": 1}', '{"memories": [], "forget": "all"}']
)
def test_what_holds_no_memories_is_unparsable(text: str) -> None:
    with pytest.raises(UnparsableAnswer):
        check(text)


@pytest.mark.parametrize("entry", [None, 0, "", False])
def test_a_memory_that_names_no_entry_is_added(entry: Any) -> None:
    [operation] = judge({**TEA, "entry": entry})

    assert operation.op != "refused"
    assert (operation.op, operation.entry, operation.raw["op"]) == ("add", None, "add")


def test_a_memory_that_names_an_entry_updates_it_once() -> None:
    first, second = judge({**TEA, "entry": 1}, {**TEA, "entry": "[1]"})

    assert first.op != "refused" and second.op == "refused"
    assert (first.op, first.entry, first.content) == ("update", 1, "Likes tea")


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({**TEA, "entry": 2}, "read-only"),
        ({**TEA, "messages": []}, "rests on no new message"),
        ({**TEA, "messages": [4]}, "were not shown"),
        ({**TEA, "content": " "}, "empty"),
        ("tea", "not an object"),
    ],
)
def test_a_bad_memory_is_refused_with_its_reason(item: Any, reason: str) -> None:
    refusal, kept = judge(item, TEA)

    assert refusal.op == "refused" and kept.op != "refused"
    assert reason in refusal.reason


def test_a_wish_to_forget_deletes_what_was_shown_and_may_be_changed() -> None:
    first, second = judge(
        forget=({"entry": 1, "reason": "asked", "messages": [1]}, {"entry": 2, "messages": [1]})
    )

    assert first.op != "refused" and second.op == "refused"
    assert (first.op, first.entry, first.reason) == ("delete", 1, "asked")
