import pytest
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from context.answer import ChatMessage
from context.formats.openai import to_openai
from tests.unit.context.formats.conversation import CONVERSATIONS, HI, SYSTEM


def test_the_system_text_is_the_first_message() -> None:
    assert to_openai(SYSTEM, [HI]) == {"messages": [{"role": "system", "content": SYSTEM}, HI]}


def test_without_a_system_text_there_is_no_system_message() -> None:
    assert to_openai("", [HI]) == {"messages": [HI]}


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_the_sdk_knows_the_shape(messages: list[ChatMessage]) -> None:
    rendered = to_openai(SYSTEM, messages)["messages"]

    assert TypeAdapter(list[ChatCompletionMessageParam]).validate_python(rendered) == rendered
