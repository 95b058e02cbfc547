"""A reply as it was given, read back from what was kept of it, for a call that is made again with its key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chat.messages import told_calls
from chat.models import KeptContext
from chat.replies import Call
from relationships.models import Message, MessageRole, Turn

CALLS = "tool_calls"  # of the last message's metadata: the client's own tools, as OpenAI names them


@dataclass(frozen=True, slots=True)
class Repeated:
    """`usage`: zeros where no context was kept (`context.keep`), as the tokens stand there."""

    text: str
    calls: Sequence[Call]
    finish: str
    usage: dict[str, Any]


def repeated_reply(turn: Turn) -> Repeated:
    """What was hidden or erased since is left out."""
    said = Message.objects.for_relationship(turn.relationship_id).filter(
        turn_id=turn.id, role=MessageRole.ASSISTANT, hidden_at=None
    )
    rows = list(said.order_by("seq").values_list("content", "metadata"))
    calls = [call for _, metadata in rows for call in metadata.get(CALLS, ())]
    text = "".join(content for content, _ in rows).removesuffix(told_calls(calls))
    kept = KeptContext.objects.for_relationship(turn.relationship_id).filter(turn_id=turn.id).first()
    prompt, output = (kept.prompt_tokens or 0, kept.output_tokens or 0) if kept else (0, 0)
    return Repeated(
        text.removesuffix("\n") if calls else text,
        [_call(call) for call in calls],
        (kept.finish_reason if kept else "") or ("tool_calls" if calls else "stop"),
        {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output},
    )


def _call(told: dict[str, Any]) -> Call:
    function = told["function"]
    return Call(told["id"], function["name"], function["arguments"], told.get("extra_content"))
