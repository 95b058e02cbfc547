"""Numbers of orders and the like, which a small model copies with a slip."""

from typing import Any

import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update

SAID = "order 8830-114527 came, serial TX9-44810-B, customer 40718822, not order 8830-114988"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ordered a phone, order 8830-11452", "Ordered a phone, order 8830-114527"),
        ("Ordered a phone, order 8830-1145277.", "Ordered a phone, order 8830-114527."),
        ("Has a terminal TX9-4810-B", "Has a terminal TX9-44810-B"),
        ("Customer 40718282", "Customer 40718822"),
        ("Orders 8830114527 and 8830-114988", "Orders 8830114527 and 8830-114988"),
        ("Paid 4071882 in all", "Paid 4071882 in all"),
        ("Ordered 8830-114528", "Ordered 8830-114528"),
        ("Came on 2026-08-30, for 8830.45", "Came on 2026-08-30, for 8830.45"),
    ],
)
def test_a_number_with_a_slip_is_kept_as_it_was_said(
    conversation: Conversation, scripted_provider: ScriptedProvider, written: str, kept: str
) -> None:
    scripted_provider.answer_with(answer(add(written)))

    turn = conversation.hear(SAID)

    assert conversation.contents == [kept]
    [(verdict, reason)] = conversation.verdicts(turn)
    assert (verdict, "was said as" in reason) == ("applied", written != kept)


@pytest.mark.parametrize(
    "change", [update(1, "Ordered a phone, 8830-11452; it came"), add("The phone 8830-11452 came")]
)
def test_an_update_keeps_the_number_of_its_entry_even_if_the_message_does_not_say_it(
    conversation: Conversation, scripted_provider: ScriptedProvider, change: dict[str, Any]
) -> None:
    conversation.remember("Ordered a phone, 8830-114527")
    scripted_provider.answer_with(answer(change))

    conversation.hear("my phone came")

    whole = "Ordered a phone, 8830-114527; it came"
    both = {"Ordered a phone, 8830-114527", "The phone 8830-11452 came"}
    assert set(conversation.contents) == ({whole} if change["op"] == "update" else both)


def test_two_that_it_may_be_are_left_to_a_person(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has order 8830-11452")))

    conversation.hear("orders 8830-114527 and 8830-114528")

    assert conversation.contents == ["Has order 8830-11452"]
