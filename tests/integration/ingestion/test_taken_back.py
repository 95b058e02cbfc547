"""What a person takes back or corrects in the next message is not kept as it was said first."""

import pytest

from providers.errors import ProviderTimeout
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("think im allergic to shrimp??", "nvm it was the hot sauce lol im fine w shrimp"),
        ("dentist next fri at 2", "wait no 23rd not 24th"),
        ("dentist next fri", "*thurs"),
        ("if i got the job id move to the domain", "nah just thinking out loud idk"),
        ("my order is SO-48213", "SO-48231 sorry"),
        ("Ich heirate im Mai", "Quatsch, im Juni"),
        ("me caso en mayo", "no, espera, en junio"),
        ("i got a cat", "jk"),
    ],
)
def test_what_is_taken_back_in_the_next_message_is_sent_back_once(
    conversation: Conversation, scripted_provider: ScriptedProvider, first: str, then: str
) -> None:
    scripted_provider.answer_with(
        answer(add("As it was first"), add("Lives in Faro", messages=[2])),
        answer(add("As it is after that", messages=[1, 2])),
    )

    turn = conversation.hear(first, then)

    assert sorted(conversation.contents) == ["As it is after that", "Lives in Faro"]
    assert "taken back or corrected in message 2" in dict(conversation.verdicts(turn))["refused"]
    assert f'- As it was first: but then [2] "{then}"\n' in scripted_provider.requests[1].history[-1][1]


def test_what_is_taken_back_may_leave_nothing_and_an_entry_as_it_was(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Works at a bakery")
    scripted_provider.answer_with(answer(update(1, "Works at a bakery, as its manager")), answer())

    conversation.hear("they made me manager", "just kidding")

    assert conversation.contents == ["Works at a bakery"]


@pytest.mark.parametrize(
    ("first", "then", "messages"),
    [
        ("dentist next fri", "wait no thurs", [1, 2]),
        ("i got a cat", "wait until you see her", [1]),
        ("i got a cat", "wait did i tell u her name", [1]),
        ("i got a cat", "actually i love cats", [1]),
        ("i got a cat", "she is ill and i have to go to the vet now, sorry", [1]),
        ("i got a cat", "she is called Mia", [1]),
        ("i got a cat", "*hugs you* she is so soft", [1]),
        ("my cat died", "im really sorry", [1]),
        ("my cat died", "Leo said sorry", [1]),
    ],
)
def test_what_is_not_taken_back_is_not_sent_back(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    first: str,
    then: str,
    messages: list[int],
) -> None:
    scripted_provider.answer_with(answer(add("As it was said", messages=messages)))

    conversation.hear(first, then)

    assert conversation.contents == ["As it was said"]
    assert len(scripted_provider.requests) == 1


def test_what_is_taken_back_after_many_other_messages_is_something_else(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a cat")))

    conversation.hear("i got a cat", *(f"she ate {number} mice" for number in range(2, 7)), "jk")

    assert conversation.contents == ["Has a cat"]
    assert len(scripted_provider.requests) == 1


def test_what_the_model_insists_on_stays(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a cat")), answer(add("Has a cat", messages=[1, 2])))

    conversation.hear("i got a cat", "wait the vet calls")

    assert conversation.contents == ["Has a cat"]


def test_what_may_be_taken_back_stays_if_the_model_does_not_answer(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a cat")), ProviderTimeout("no answer"))

    conversation.hear("i got a cat", "wait the vet calls")

    assert conversation.contents == ["Has a cat"]


def test_what_may_be_taken_back_stays_if_the_new_answer_can_not_be_used_which_is_said(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Has a cat")), answer(add("Has a cat called Mia", type="pet", messages=[1, 2]))
    )

    turn = conversation.hear("i got a cat", "wait her name is Mia")

    assert conversation.contents == ["Has a cat"]
    assert "'pet'" in dict(conversation.verdicts(turn))["refused"]
