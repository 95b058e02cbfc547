from collections.abc import Sequence
from typing import Any

from context.answer import ChatMessage
from context.formats.alternating import alternate


def to_anthropic(system: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    """For `messages.create(**rendered)`: the roles take turns, the user first."""
    return {"system": system, "messages": alternate(messages)}
