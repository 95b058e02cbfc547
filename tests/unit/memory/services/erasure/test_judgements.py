from typing import Any
from uuid import UUID, uuid4

import pytest

from memory.services.erasure.judgements import emptied, numbers_in, rests_on, speaks_of
from memory.services.erasure.words import Words
from memory.services.fingerprint import content_hash

ENTRY = UUID("018f0000-0000-7000-8000-000000000001")
FORGET = Words(
    entries={ENTRY: 3},
    spared=frozenset(),
    hashes=frozenset([content_hash("Has a tattoo of a heron")]),
    phrases=("has a tattoo of a heron",),
    cited=frozenset(),
    turns=frozenset(),
)


def judged(operation: Any, *, reason: str = "", entry_id: UUID | None = None) -> dict[str, Any]:
    return {
        "operation": operation,
        "verdict": "applied",
        "reason": reason,
        "entry_id": str(entry_id) if entry_id else None,
    }


@pytest.mark.parametrize(
    ("item", "shown_as"),
    [
        (judged({"op": "update", "entry": 9, "content": "Hides it"}, entry_id=ENTRY), []),
        (judged({"op": "delete", "entry": 4}), [4]),
        (judged({"op": "delete", "entry": "[4]"}), [4]),
        (judged({"op": "update", "entry": 2}, reason=f"now says the same as entry {ENTRY}"), []),
        (judged({"op": "add", "content": "has a  tattoo of a HERON."}), []),
        (judged({"op": "delete", "entry": 7, "reason": 'not "Has a tattoo of a heron" any more'}), []),
        (judged("Has a tattoo of a heron, I think"), []),
    ],
    ids=[
        "by-id",
        "by-number",
        "by-sloppy-number",
        "merged-into-it",
        "says-it-again",
        "quotes-it",
        "no-object",
    ],
)
def test_an_operation_about_the_entry_is_known(item: dict[str, Any], shown_as: list[int]) -> None:
    assert speaks_of(item, FORGET, shown_as=shown_as)


@pytest.mark.parametrize(
    "item",
    [
        judged({"op": "add", "content": "Has a sister", "messages": [1]}, entry_id=uuid4()),
        judged({"op": "update", "entry": 2, "content": "Has a tattoo"}, entry_id=uuid4()),
    ],
    ids=["another", "another-with-less"],
)
def test_an_operation_about_another_entry_is_left(item: dict[str, Any]) -> None:
    assert not speaks_of(item, FORGET, shown_as=[4])


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"messages": [1, 3]}, True),
        ({"messages": ["[3]"]}, True),
        ({"messages": 3}, True),
        ({"messages": [2]}, False),
        ({}, False),
        ("not even an object", True),
    ],
    ids=["one-of-them", "sloppy", "bare", "another", "none", "no-object"],
)
def test_an_operation_rests_on_the_messages_it_names(operation: Any, expected: bool) -> None:
    assert rests_on(judged(operation), shown_as=[3]) is expected


def test_nothing_rests_on_messages_that_were_not_shown() -> None:
    assert not rests_on(judged({"messages": [1, 2]}), shown_as=[])


def test_numbers_are_found_however_a_model_writes_them() -> None:
    assert numbers_in([1, "2", "[3]", {"number": 4}]) == {1, 2, 3, 4}
    assert numbers_in(None) == frozenset()


def test_emptying_keeps_what_was_done_and_no_text() -> None:
    written = judged(
        {"op": "update", "entry": "[4]", "content": "Has a heron", "type": "heron", "messages": [1, 2]},
        reason="heron",
        entry_id=ENTRY,
    )

    assert emptied(written) == {
        "operation": {"op": "update", "entry": 4, "messages": [1, 2], "erased": True},
        "verdict": "applied",
        "reason": "",
        "entry_id": str(ENTRY),
        "call_id": None,
    }


def test_emptying_takes_a_made_up_verb_and_a_made_up_shape_too() -> None:
    assert emptied(judged({"op": "heron"}))["operation"] == {"messages": [], "erased": True}
    assert emptied(judged(["heron"]))["operation"] == {"messages": [], "erased": True}
