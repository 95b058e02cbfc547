from collections.abc import Sequence

from context.answer import ChatMessage
from context.facts import RecentMessage
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.text import keep_last, message_tokens
from memory.fence import cut_fenced

# What neither side said is shown as what it is: only the assembled system text speaks as the system.
_NOTES = {"system": "[system note] ", "tool": "[tool result] "}


class MessagesLayer(Layer):
    """The recent messages of the session, oldest first; over budget, the newest are kept, each whole."""

    slug = "messages"

    def render(self, request: LayerRequest) -> LayerText:
        found = request.recall.recent
        shown = [(message.id, spoken) for message in found if (spoken := _spoken(message))["content"].strip()]
        if not shown:
            return NOTHING
        room = request.budget_of(self)
        count = len(shown)
        if room is not None:
            count = keep_last([message_tokens(spoken) for _, spoken in shown], room=room)
        first = len(shown) - count
        return LayerText(
            messages=[spoken for _, spoken in shown[first:]],
            sources=[message_id for message_id, _ in shown[first:]],
            reason=_reason(found, request.facts.session),
            left_out=left_out([message_id for message_id, _ in reversed(shown[:first])]),
        )


def _spoken(message: RecentMessage) -> ChatMessage:
    content, _ = cut_fenced(message.content)
    if message.role in _NOTES and content.strip():
        return ChatMessage(role="user", content=_NOTES[message.role] + content)
    return ChatMessage(role="assistant" if message.role == "assistant" else "user", content=content)


def _reason(found: Sequence[RecentMessage], session: str) -> str:
    if found[-1].session == session:
        return "the session's last messages"
    return "all sessions' last messages: this one has none"
