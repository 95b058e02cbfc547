import pytest
from google.genai import types

from context.answer import ChatMessage
from context.formats.gemini import to_gemini
from tests.unit.context.formats.conversation import AND, CONVERSATIONS, GREETING, HI, SYSTEM


def test_the_companion_is_called_model() -> None:
    assert to_gemini(SYSTEM, [HI, GREETING, AND]) == {
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Good morning!"}]},
            {"role": "user", "parts": [{"text": "And you?"}]},
        ],
    }


def test_without_a_system_text_there_is_no_instruction() -> None:
    assert to_gemini("", [HI]).keys() == {"contents"}


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_the_sdk_knows_the_shape(messages: list[ChatMessage]) -> None:
    rendered = to_gemini(SYSTEM, messages)

    contents = [types.Content.model_validate(content) for content in rendered["contents"]]
    config = types.GenerateContentConfig.model_validate({"systemInstruction": rendered["systemInstruction"]})

    assert [content.model_dump(exclude_none=True) for content in contents] == rendered["contents"]
    assert config.system_instruction is not None
