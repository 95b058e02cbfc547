import pytest

from context.answer import ChatMessage
from context.formats.alternating import OPENING, alternate
from tests.unit.context.formats.conversation import AND, CONVERSATIONS, GREETING, HI


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_the_roles_take_turns_and_the_user_begins(messages: list[ChatMessage]) -> None:
    roles = [message["role"] for message in alternate(messages)]

    assert roles == [("user", "assistant")[place % 2] for place in range(len(roles))]


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_no_word_is_lost(messages: list[ChatMessage]) -> None:
    words = "\n\n".join(message["content"] for message in alternate(messages))

    assert words.removeprefix(f"{OPENING}\n\n") == "\n\n".join(message["content"] for message in messages)


def test_neighbours_of_one_role_become_one_message() -> None:
    assert alternate([HI, AND]) == [{"role": "user", "content": "Hi\n\nAnd you?"}]


def test_the_messages_themselves_are_not_changed() -> None:
    messages = [HI.copy(), AND.copy(), GREETING.copy()]

    alternate(messages)

    assert messages == [HI, AND, GREETING]
