from collections.abc import Sequence
from typing import Any

from context.answer import ChatMessage


def to_openai(system: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """For `chat.completions.create(**rendered)`: the system text is the first message."""
    first = [ChatMessage(role="system", content=system)] if system else []
    return {"messages": [*first, *messages]}
