"""The model of everybody understands what Rapport asks today, and what Rapport shows is known again."""

import json
from typing import Any, cast

from benchmarks.peers.dialects import Request, answer
from benchmarks.peers.rapport import shown_in
from benchmarks.peers.stories import Change
from context.layers.memory import items_of
from memory.fence import fence
from memory.mending.candidates import Candidate, Scope
from memory.mending.model_judgement import render, take_answer
from memory.mending.wishes import read_wish
from relationships.ids import uuid7
from tests.fixtures.people import MORNING

BOOK = {
    "I live in Lisbon. I have a cat.": [Change("Lives in Lisbon"), Change("Has a cat")],
    "Please forget that I live in Lisbon.": [Change("", "Lives in Lisbon")],
}


def test_a_wish_to_forget_takes_what_says_it_and_nothing_else() -> None:
    texts = {"entry": ["Lives in Lisbon", "Has a cat"], "message": [*BOOK][:1]}
    shown = [Candidate(kind, uuid7(), text, role="user") for kind, each in texts.items() for text in each]
    scope = Scope(cast(Any, None), read_wish("that I live in Lisbon"), ("Maya",))
    prompt = render(scope, shown, verb="forget", to="")

    said = answer(Request({"messages": [{"role": "user", "content": prompt}]}), BOOK)
    take_answer(said.text, shown, verb="forget")

    assert [one.ticked for one in shown] == [True, False, True], json.loads(said.text)


def test_an_entry_is_found_in_a_context_as_it_was_remembered() -> None:
    contents = ["Has a cat (grey)", "Says: a < b"]
    lines = [["id", "other", content, None, MORNING.timestamp()] for content in contents]
    items = items_of(lines, timezone="UTC", now=MORNING, dated=True)

    assert all("(told" in item for item in items)
    assert shown_in(fence(items)) == contents
