from collections.abc import Sequence

from context.answer import ChatMessage
from context.facts import RecentMessage
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.text import keep_last, line_cost, message_tokens
from memory.entries.happens import day_of, named_day_of
from memory.fence import cut_fenced

# What neither side said is shown as what it is: only the assembled system text speaks as the system.
_NOTES = {"system": "[system note] ", "tool": "[tool result] "}


class MessagesLayer(Layer):
    """The recent messages of the session, oldest first; over budget, the newest are kept, each whole.

    Where none of them is of today, the system prompt says of when they are: "last Friday" is counted from their day.
    """

    slug = "messages"
    weight = 4
    tells_days = True

    def render(self, request: LayerRequest) -> LayerText:
        found = request.recall.recent
        shown = [(message, spoken) for message in found if (spoken := _spoken(message))["content"].strip()]
        if not shown:
            return NOTHING
        room = request.budget_of(self)
        count = len(shown)
        if room is not None:
            costs = [message_tokens(spoken) for _, spoken in shown]
            count = keep_last(costs, room=room)
            room -= sum(costs[len(shown) - count :])
        kept, left = shown[len(shown) - count :], shown[: len(shown) - count]
        days = _days([message for message, _ in kept], request)
        return LayerText(
            text=days if room is None or line_cost(days) <= room else "",
            messages=[spoken for _, spoken in kept],
            sources=[message.id for message, _ in kept],
            reason=_reason(found, request.facts.session),
            left_out=left_out([message.id for message, _ in reversed(left)]),
        )


def _days(messages: Sequence[RecentMessage], request: LayerRequest) -> str:
    """On which days they were said; "" where the last of them is of today."""
    timezone = request.facts.timezone
    if not messages or day_of(messages[-1].said_at, timezone) == day_of(request.now.timestamp(), timezone):
        return ""
    days = dict.fromkeys(named_day_of(messages[place].said_at, timezone) for place in (0, -1))
    return request.with_today(f"The earlier messages below were said on {' to '.join(days)}.")


def _spoken(message: RecentMessage) -> ChatMessage:
    content, _ = cut_fenced(message.content)
    if message.role in _NOTES and content.strip():
        return ChatMessage(role="user", content=_NOTES[message.role] + content)
    return ChatMessage(role="assistant" if message.role == "assistant" else "user", content=content)


def _reason(found: Sequence[RecentMessage], session: str) -> str:
    if found[-1].session == session:
        return "the session's last messages"
    return "all sessions' last messages: this one has none"
