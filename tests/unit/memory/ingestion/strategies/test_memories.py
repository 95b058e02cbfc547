from typing import Any

import pytest

from memory.errors import UnparsableAnswer
from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.strategies.memories import Memories, judge_memories, parse_memories, statement
from tests.unit.memory.ingestion.readings import ingestion_input, shown

TEA = {"content": "Likes tea", "type": "preference", "messages": [1]}


def judge(*keep: Any, forget: tuple[Any, ...] = ()) -> list[Operation | Refusal]:
    read = ingestion_input(
        "I like tea.", entries=[shown("Likes coffee"), shown("Is called Max", read_only=True)]
    )
    return judge_memories(Memories(list(keep), list(forget)), read, lambda item: statement(item, read))


def test_an_answer_may_leave_out_what_is_to_be_forgotten() -> None:
    assert parse_memories('{"memories": [1]}') == Memories([1], [])
    assert parse_memories('{"memories": [], "forget": null}') == Memories([], [])


@pytest.mark.parametrize(
    "text", ["", '{"memory": []}', '{"memories": 1}', '{"memories": [], "forget": "all"}']
)
def test_what_holds_no_memories_is_unparsable(text: str) -> None:
    with pytest.raises(UnparsableAnswer):
        parse_memories(text)


@pytest.mark.parametrize("entry", [None, 0, "", False])
def test_a_memory_that_names_no_entry_is_added(entry: Any) -> None:
    [operation] = judge({**TEA, "entry": entry})

    assert isinstance(operation, Operation)
    assert (operation.op, operation.entry, operation.raw["op"]) == ("add", None, "add")


def test_a_memory_that_names_an_entry_updates_it_once() -> None:
    first, second = judge({**TEA, "entry": 1}, {**TEA, "entry": "[1]"})

    assert isinstance(first, Operation) and isinstance(second, Refusal)
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

    assert isinstance(refusal, Refusal) and isinstance(kept, Operation)
    assert reason in refusal.reason


def test_a_wish_to_forget_deletes_what_was_shown_and_may_be_changed() -> None:
    first, second = judge(
        forget=({"entry": 1, "reason": "asked", "messages": [1]}, {"entry": 2, "messages": [1]})
    )

    assert isinstance(first, Operation) and isinstance(second, Refusal)
    assert (first.op, first.entry, first.reason) == ("delete", 1, "asked")
