"""For vendors whose conversations begin with the user and take turns strictly."""

from collections.abc import Sequence

from context.answer import ChatMessage

# Stands where the recent messages begin with the companion's own words.
OPENING = "(The conversation goes on.)"


def alternate(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages with neighbours of one role merged into one, beginning with the user."""
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
