"""Read from the prompts that Rapport really writes, so that a change of theirs is noticed here."""

import json
from typing import Any

import pytest

from benchmarks.peers.dialects.base import Request
from benchmarks.peers.dialects.rapport import answer
from benchmarks.peers.facts import Change
from memory.ingestion.templates import shipped

BOOK = {
    "I moved to Porto.\nIt rains.": [Change("Lives in Porto", "Lives in Lisbon", "identity")],
    "Forget about the cat.": [Change("", "Has a cat")],
}


_NONE = {"key": "", "archived": False, "read_only": False, "forget": False}


class Line:
    def __init__(self, **fields: Any) -> None:
        self.__dict__ = {"subject": "user", "type": "other", "heading": "", "role": "user", **_NONE, **fields}


def asked(closing: str, *, known: list[str] = [], said: list[str] = [], facts: list[Line] = []) -> Request:  # noqa: B006
    prompt = shipped("prompt_data.md").render(
        entries=[Line(number=place, content=text) for place, text in enumerate(known, 1)],
        messages=[
            Line(number=place, speaker="Maya", content=text.replace("\n", "\n    "))
            for place, text in enumerate(said, 1)
        ],
        references=[Line(speaker="Maya", content="Forget about the cat.")] if said else [],
        facts=facts,
        types=[],
        likely=False,
        hidden_entries=0,
        capacity_note="",
        timezone="UTC",
        closing=closing,
    )
    return Request({"messages": [{"role": "user", "content": prompt}]})


def told(request: Request) -> Any:
    said = answer(request, BOOK)
    assert said is not None
    return json.loads(said.text)


def test_operations_name_the_numbers_of_entries_and_messages() -> None:
    request = asked(
        "The operations, as JSON:",
        known=["Has a cat", "Lives in Lisbon"],
        said=["I moved to Porto.\nIt rains.", "Forget about the cat."],
    )

    update, delete = told(request)["operations"]

    assert update == {"op": "update", "entry": 2, "messages": [1], "content": "Lives in Porto"}
    assert (delete["op"], delete["entry"], delete["messages"]) == ("delete", 1, [2])


def test_what_is_asked_again_is_answered_again() -> None:
    once = asked("The operations, as JSON:", said=["I moved to Porto."])
    again = Request(
        {
            "messages": [
                *once.body["messages"],
                {"role": "assistant", "content": '{"operations": [{"op": '},
                {"role": "user", "content": "That is no JSON. Answer again, with the JSON object only."},
            ]
        }
    )

    assert answer(again, {"I moved to Porto.": [Change("Lives in Porto")]}) == answer(
        once, {"I moved to Porto.": [Change("Lives in Porto")]}
    )


def test_what_is_not_shown_is_added() -> None:
    (operation,) = told(asked("The operations, as JSON:", said=["I moved to Porto.\nIt rains."]))[
        "operations"
    ]

    assert operation == {"op": "add", "type": "identity", "content": "Lives in Porto", "messages": [1]}


def test_facts_are_told_without_entries() -> None:
    request = asked("The facts, as JSON:", said=["I moved to Porto.\nIt rains.", "Forget about the cat."])

    moved, forget = told(request)["facts"]

    assert (moved["content"], moved["messages"]) == ("Lives in Porto", [1])
    assert (forget["content"], forget["forget"], forget["messages"]) == ("Has a cat", True, [2])


@pytest.mark.parametrize(
    ("known", "fact", "decision"),
    [
        (
            ["Has a cat", "Lives in Lisbon"],
            Line(number=1, content="Lives in Porto"),
            {"fact": 1, "op": "DELETE", "entry": 2, "content": "Lives in Porto", "reason": "it has changed"},
        ),
        (
            ["Has a cat"],
            Line(number=1, content="Has a cat", forget=True),
            {"fact": 1, "op": "DELETE", "entry": 1, "content": ""},
        ),
        (["Lives in Porto"], Line(number=1, content="Lives in Porto"), {"fact": 1, "op": "NONE", "entry": 1}),
        (["Plays chess"], Line(number=1, content="Lives in Porto"), {"fact": 1, "op": "ADD"}),
    ],
    ids=["replaces", "forgets", "known", "new"],
)
def test_a_fact_is_decided_on_by_the_entries_shown(
    known: list[str], fact: Line, decision: dict[str, Any]
) -> None:
    assert told(asked("The decisions, as JSON:", known=known, facts=[fact]))["decisions"] == [decision]


def test_others_prompts_are_not_its_own() -> None:
    assert answer(asked("# Output:"), BOOK) is None
