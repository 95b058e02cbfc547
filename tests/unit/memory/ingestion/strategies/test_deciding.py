from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ingestion.operations import Operation
from memory.ingestion.strategies.deciding import decide_on, rest_on_all
from tests.unit.memory.ingestion.readings import MONDAY, ingestion_input, shown

LISBON = Operation("add", (1,), {"content": "Lives in Lisbon"}, type="identity", content="Lives in Lisbon")
JAZZ = Operation(
    "add", (2,), {"content": "Likes jazz", "forget": True}, type="preference", content="Likes jazz"
)
ENTRIES = (shown("Lives in Porto"), shown("Likes jazz"), shown("Is called Max", read_only=True))


def decide(*decisions: Any, facts: tuple[Operation, ...] = (LISBON,)) -> list[Operation]:
    return decide_on(facts, decisions, ingestion_input("I moved to Lisbon.", "Forget jazz.", entries=ENTRIES))


def the(items: list[Operation]) -> Operation:
    [item] = items
    assert item.op != "refused"
    return item


@pytest.mark.parametrize(
    ("decision", "does", "content"),
    [
        ({"op": "ADD"}, ("add", None), "Lives in Lisbon"),
        ({"op": "update", "entry": "1", "content": "Left Porto"}, ("update", 1), "Left Porto"),
        ({"op": "DELETE", "entry": 1}, ("replace", 1), "Lives in Lisbon"),
        ({"op": "DELETE", "entry": 1, "content": ""}, ("delete", 1), ""),
        ({"op": "NONE", "entry": 3}, ("known", 3), ""),
    ],
    ids=["the fact's own text", "merged", "contradicted", "nothing in its place", "known, though read-only"],
)
def test_a_decision_becomes_one_operation(
    decision: dict[str, Any], does: tuple[str, int | None], content: str
) -> None:
    operation = the(decide({"fact": 1, "reason": "moved", **decision}))

    assert (operation.op, operation.entry) == does
    assert (operation.content, operation.messages) == (content, (1,))
    assert operation.type == ("" if operation.op == "update" else "identity")
    assert operation.reason == ("" if operation.op == "add" else "moved")


def test_a_wish_to_forget_is_never_kept_itself() -> None:
    deleted = the(decide({"fact": 1, "op": "DELETE", "entry": 2}, facts=(JAZZ,)))
    [added] = decide({"fact": 1, "op": "ADD"}, facts=(JAZZ,))

    assert (deleted.op, deleted.content) == ("delete", "")
    assert added.op == "refused"


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ({"fact": 1, "op": "MERGE"}, "op is"),
        ({"fact": 1, "op": "UPDATE", "content": "x"}, "names no entry"),
        ({"fact": 1, "op": "UPDATE", "entry": 9, "content": "x"}, "was not shown"),
        ({"fact": 1, "op": "DELETE", "entry": 3}, "read-only"),
        ({"fact": 1, "op": "UPDATE", "entry": 1, "content": ""}, "empty"),
        ({"fact": 1, "op": "NONE"}, "by no entry"),
    ],
)
def test_a_bad_decision_is_refused_with_its_reason_on_the_facts_messages(
    decision: dict[str, Any], reason: str
) -> None:
    [refusal] = decide(decision)

    assert refusal.op == "refused"
    assert reason in refusal.reason
    assert refusal.messages == (1,)
    assert refusal.raw["content"] in ("Lives in Lisbon", "x", "")


def test_a_fact_nobody_decided_on_is_refused_visibly() -> None:
    [refusal] = decide()

    assert refusal.op == "refused"
    assert refusal.reason == "nothing was decided about it"


def test_an_entry_is_changed_once_and_what_else_is_said_of_it_is_kept_as_new() -> None:
    age = Operation("add", (1,), {"content": "Is 30"}, content="Is 30")

    _, second = decide(
        {"fact": 1, "op": "UPDATE", "entry": 1, "content": "Lives in Lisbon"},
        {"fact": 2, "op": "DELETE", "entry": 1},
        facts=(LISBON, age),
    )

    assert (second.op, second.entry, second.content) == ("add", None, "Is 30")
    assert "kept as new" in second.remarks[0]


@pytest.mark.parametrize("op", ["UPDATE", "DELETE"])
def test_one_text_for_several_facts_rests_on_the_messages_of_all(op: str) -> None:
    since = Operation("add", (2,), {"content": "Moved in May"}, content="Moved in May")

    changed, known = rest_on_all(
        decide(
            {"fact": 1, "op": op, "entry": 1, "content": "Lives in Lisbon since May"},
            {"fact": 2, "op": "NONE", "entry": 1},
            facts=(LISBON, since),
        )
    )

    assert (changed.messages, known.op, known.messages) == ((1, 2), "known", (2,))


def test_a_detail_leaves_an_entry_whose_it_is_and_for_how_long_and_takes_nothing_of_its_weight() -> None:
    soon, later = MONDAY + timedelta(days=1), MONDAY + timedelta(days=9)
    rex = replace(LISBON, content="Sits", subject="Rex", importance=0.3, expires_at=later)
    entries = (
        shown("Has a dog, Rex", importance=0.9),
        shown("Has Rex to stay", importance=0.2, expires_at=soon),
    )
    given = ingestion_input("Rex can sit.", entries=entries)

    def updated(entry: int) -> Operation:
        text = "Has a dog, Rex, who can sit"
        return the(decide_on([rex], [{"fact": 1, "op": "UPDATE", "entry": entry, "content": text}], given))

    assert (updated(1).subject, updated(1).importance, updated(1).expires_at) == (None, 0.9, None)
    assert (updated(2).importance, updated(2).expires_at) == (0.3, later)


def test_of_two_decisions_on_one_fact_the_first_holds_and_strangers_are_refused() -> None:
    items = decide(
        {"fact": 1, "op": "ADD"}, {"fact": 1, "op": "DELETE", "entry": 1}, {"fact": 7, "op": "ADD"}, "x"
    )

    assert [item.op == "refused" for item in items] == [False, True, True, True]


GARBAGE = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.lists(st.integers())
)
NAMES = st.sampled_from(["fact", "op", "entry", "content", "reason"])


@given(st.lists(st.dictionaries(NAMES, GARBAGE | st.sampled_from(["ADD", "UPDATE", "DELETE", 1])) | GARBAGE))
def test_no_garbage_stops_a_decision(decisions: list[Any]) -> None:
    items = decide(*decisions)

    assert all(
        item.op in ("add", "update", "replace", "delete", "known") for item in items if item.op != "refused"
    )


def test_a_fact_may_end_several_entries() -> None:
    items = decide(
        {"fact": 1, "op": "DELETE", "entry": 2, "content": ""},
        {"fact": 1, "op": "DELETE", "entry": 1, "content": ""},
        facts=(JAZZ,),
    )

    assert [(item.op, item.entry) for item in items if item.op != "refused"] == [
        ("delete", 2),
        ("delete", 1),
    ]


def test_a_wish_to_forget_what_nothing_says_is_refused_in_these_words() -> None:
    [item] = decide({"fact": 1, "op": "NONE"}, facts=(JAZZ,))

    assert item.op == "refused"
    assert item.reason == "nothing like it is remembered"
