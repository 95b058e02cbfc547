from collections.abc import Sequence
from typing import Any

from context.answer import ChatMessage
from context.formats.alternating import alternate

_ROLES = {"user": "user", "assistant": "model"}


def to_gemini(system: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """The body of `generateContent`: the companion's role is called model."""
    contents = [
        {"role": _ROLES[message["role"]], "parts": [{"text": message["content"]}]}
        for message in alternate(messages)
    ]
    instruction = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
    return {**instruction, "contents": contents}
