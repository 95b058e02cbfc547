"""What is kept of an operation beside its words: by that an erasure finds it."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from memory.entries.fingerprint import content_hash
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.ingestion.results import emptied, numbers_in, result_of
from memory.models import OperationResult, Verdict
from memory.phrases import Phrases
from relationships.models import Relationship
from tests.fixtures.turns import Conversation
from tests.unit.memory.ingestion.readings import ingestion_input, shown
from upkeep.erasure.erased_texts import Words, find_traces

ENTRY = UUID("018f0000-0000-7000-8000-000000000001")
SHOWN = [shown("1"), shown("2"), shown("3"), shown("4", id=ENTRY)]  # in the call: the entry is number 4
FORGET = Words(
    entries={ENTRY: 3},
    hashes=frozenset([content_hash("Has a tattoo of a heron")]),
    phrases=Phrases(["has a tattoo of a heron"]),
)


def kept(
    item: Operation, given: IngestionInput, *, reason: str = "", entry_id: UUID | None = None
) -> OperationResult:
    return result_of(
        item,
        Verdict.REFUSED,
        reason,
        entry_id=entry_id,
        turn=given.turns[0],
        number=0,
        given=given,
        shown=SHOWN,
    )


def judged(raw: Any, *, reason: str = "", entry_id: UUID | None = None) -> OperationResult:
    given = ingestion_input("I", "have", "three of them")
    return kept(Operation("refused", (), raw), given, reason=reason, entry_id=entry_id)


def is_about_it(result: OperationResult, conversation: Conversation) -> bool:
    relationship: Relationship = conversation.relationship
    turn = conversation.say("?")
    result.relationship_id, result.project_id, result.turn_id = (
        relationship.id,
        relationship.project_id,
        turn.id,
    )
    result.save(force_insert=True)
    return bool(find_traces(relationship.id, FORGET).operations)


@pytest.mark.parametrize(
    "result",
    [
        judged({"op": "update", "entry": 9, "content": "Hides it"}, entry_id=ENTRY),
        judged({"op": "delete", "entry": 4}),
        judged({"op": "delete", "entry": "[4]"}),
        judged({"op": "update", "entry": 2}, reason=f"now says the same as entry {ENTRY}"),
        judged({"op": "add", "content": "has a  tattoo of a HERON."}),
        judged({"op": "delete", "entry": 7, "reason": 'not "Has a tattoo of a heron" any more'}),
        judged({"op": "add", "Has a Tattoo of a HERON": 1}),
        judged("Has a tattoo of a heron, I think"),
    ],
    ids=[
        "by-id",
        "by-number",
        "by-sloppy-number",
        "merged-into-it",
        "says-it-again",
        "quotes-it",
        "as-a-name",
        "no-object",
    ],
)
def test_an_operation_about_the_entry_is_found(result: OperationResult, conversation: Conversation) -> None:
    assert is_about_it(result, conversation)


@pytest.mark.parametrize(
    "result",
    [
        judged({"op": "add", "content": "Has a sister", "messages": [1]}, entry_id=uuid4()),
        judged({"op": "update", "entry": 2, "content": "Has a tattoo"}, entry_id=uuid4()),
    ],
    ids=["another", "another-with-less"],
)
def test_an_operation_about_another_entry_is_left(
    result: OperationResult, conversation: Conversation
) -> None:
    assert not is_about_it(result, conversation)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"messages": [1, 3]}, {0, 2}),
        ({"messages": ["[3]"]}, {2}),
        ({"messages": 3}, {2}),
        ({"messages": [2, 99, 0]}, {1}),
        ({}, set()),
        ("not even an object", set()),
    ],
    ids=["some", "sloppy", "bare", "not-shown", "none", "no-object"],
)
def test_an_operation_rests_on_the_messages_it_names(raw: Any, expected: set[int]) -> None:
    given = ingestion_input("I", "have", "three of them")

    result = kept(Operation("refused", (), raw), given)

    assert set(result.message_ids) == {given.messages[place].id for place in expected}


def test_numbers_that_were_understood_count_whatever_is_left_of_the_raw_operation() -> None:
    given = ingestion_input("I have a heron.", entries=[shown("Has a bird"), shown("Has a heron")])
    operation = Operation("update", (1,), {"cut": "is longer than anybody reads"}, entry=2)

    result = kept(operation, given)

    assert (result.entry_ids, result.message_ids) == ([given.entries[1].id], [given.messages[0].id])


def test_numbers_are_found_however_a_model_writes_them() -> None:
    assert numbers_in([1, "2", "[3]", {"number": 4}]) == {1, 2, 3, 4}
    assert numbers_in(None) == frozenset()


@pytest.mark.parametrize(
    ("operation", "left"),
    [
        (
            {"op": "update", "entry": "[4]", "content": "Has a heron", "type": "heron", "messages": [1, 2]},
            {"op": "update", "entry": 4, "messages": [1, 2], "erased": True},
        ),
        ({"op": "heron"}, {"messages": [], "erased": True}),
        ({"op": ["heron"]}, {"messages": [], "erased": True}),
        (["heron"], {"messages": [], "erased": True}),
    ],
    ids=["its-words", "a-made-up-verb", "a-verb-that-is-none", "a-made-up-shape"],
)
def test_emptying_keeps_what_was_done_and_no_text(operation: Any, left: dict[str, Any]) -> None:
    assert emptied(operation) == left
    assert emptied(left) == left
