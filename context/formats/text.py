from collections.abc import Sequence

from context.answer import ChatMessage

_SPEAKERS = {"user": "User", "assistant": "Assistant"}


def to_text(system: str, messages: Sequence[ChatMessage]) -> str:
    """One text, for models without roles and for reading.

    A message's further lines are indented, so that none can pass for another's words.
    """
    spoken = [f"{_SPEAKERS[message['role']]}: {_indented(message['content'])}" for message in messages]
    return "\n\n".join([system, *spoken] if system else spoken)


def _indented(content: str) -> str:
    return "\n  ".join(content.splitlines())
