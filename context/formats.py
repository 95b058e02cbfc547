"""The vendors' formats in which a context can be rendered: one function each, see CONTEXT_FORMATS."""

from collections.abc import Sequence
from typing import Any

from context.answer import ChatMessage

OPENING = "(The conversation goes on.)"  # a user's message, if the recent messages begin with the companion's
_ROLES_OF_GEMINI = {"user": "user", "assistant": "model"}
_SPEAKERS = {"user": "User", "assistant": "Assistant"}


def to_openai(system: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """For `chat.completions.create(**rendered)`: the system text is the first message."""
    first = [ChatMessage(role="system", content=system)] if system else []
    return {"messages": [*first, *messages]}


def to_anthropic(system: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """For `messages.create(**rendered)`: the roles alternate, the user first."""
    return {"system": system, "messages": alternating(messages)}


def to_gemini(system: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """The body of `generateContent`: the companion's role is called model."""
    contents = [
        {"role": _ROLES_OF_GEMINI[message["role"]], "parts": [{"text": message["content"]}]}
        for message in alternating(messages)
    ]
    instruction = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
    return {**instruction, "contents": contents}


def to_text(system: str, messages: Sequence[ChatMessage]) -> str:
    """One text, for models without roles and for human readers.

    All lines of a message but the first are indented, so that none looks like another message.
    """
    spoken = [
        f"{_SPEAKERS[message['role']]}: " + "\n  ".join(message["content"].splitlines())
        for message in messages
    ]
    return "\n\n".join([system, *spoken] if system else spoken)


def alternating(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Merge neighbouring messages of the same role, and begin with the user's."""
    merged: list[ChatMessage] = []
    if messages and messages[0]["role"] != "user":
        merged.append(ChatMessage(role="user", content=OPENING))
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            content = f"{merged[-1]['content']}\n\n{message['content']}"
            merged[-1] = ChatMessage(role=message["role"], content=content)
        else:
            merged.append(message)
    return merged
