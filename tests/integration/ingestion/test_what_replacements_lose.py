"""A replacement of an entry of which hardly anything was said is asked for once more."""

from typing import Any

import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, replacing

WED = "Is married to Karl, a baker who gets up at two every morning"
CAR, SINGLE = "Karl bought the car", "Is single"


@pytest.mark.parametrize(
    ("said", "new", "asked"),
    [
        ("Karl bought the car.", CAR, 1),
        ("Karl and I got divorced.", "Divorced since 2026-03, before that married to a baker", 0),
        ("The baker who gets up at two? We are no longer married.", SINGLE, 0),
    ],
    ids=["hardly a word of it", "by the text", "by the message"],
)
def test_a_replaced_entry_of_which_hardly_anything_was_said_is_asked_for_once(
    conversation: Conversation, scripted_provider: ScriptedProvider, said: str, new: str, asked: int
) -> None:
    again = [answer(replacing(1, new))] * 2
    scripted_provider.answer_with(answer(add(WED)), *again)

    conversation.hear("I'm married to Karl, a baker.")
    conversation.hear(said)

    assert conversation.contents == [new]
    assert len(scripted_provider.requests) == 2 + asked
    ended = 'if all of this has ended, replace it again, with a "reason"'
    assert [ended in request.history[-1][1] for request in scripted_provider.requests[2:]] == [True] * asked


@pytest.mark.parametrize(
    ("new", "again"),
    [
        (CAR, answer(add(CAR))),
        (CAR, answer()),
        ("Took up pottery", answer(replacing(1, "Took up pottery"))),
        ("Took up pottery", answer()),
    ],
)
def test_an_entry_stays_if_its_replacement_is_not_given_again_or_is_about_something_else(
    conversation: Conversation, scripted_provider: ScriptedProvider, new: str, again: Any
) -> None:
    scripted_provider.answer_with(answer(add(WED)), answer(replacing(1, new)), again)

    conversation.hear("I'm married to Karl, a baker.")
    conversation.hear(f"You know what? {new}.")

    assert sorted(conversation.contents) == sorted([WED, new])


def test_an_entry_may_be_replaced_in_wholly_other_words_with_a_reason(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    over = [answer(replacing(1, SINGLE, **reason)) for reason in ({}, {"reason": "they parted"})]
    scripted_provider.answer_with(answer(add(WED)), *over)

    conversation.hear("I'm married to Karl, a baker.")
    conversation.hear("It's over between us.")

    assert conversation.contents == [SINGLE]
