import pytest

from context.answer import ChatMessage
from context.formats.anthropic import to_anthropic
from tests.unit.context.formats.conversation import CONVERSATIONS, HI, SYSTEM


def test_the_system_text_stands_beside_the_messages() -> None:
    assert to_anthropic(SYSTEM, [HI]) == {"system": SYSTEM, "messages": [HI]}


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_the_messages_are_what_the_messages_api_takes(messages: list[ChatMessage]) -> None:
    rendered = to_anthropic(SYSTEM, messages)["messages"]

    assert [message["role"] for message in rendered[::2]] == ["user"] * len(rendered[::2])
    assert [message["role"] for message in rendered[1::2]] == ["assistant"] * len(rendered[1::2])
    assert all(message.keys() == {"role", "content"} and message["content"].strip() for message in rendered)
