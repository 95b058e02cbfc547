"""Repeats the answer to a call that comes again with its Idempotency-Key.

What the reply's text doesn't contain is stored in the metadata of the turn's last message, so that it is erased,
exported and moved with the message. A refusal and calls of the client's tools (`told_calls`) are at the end of the
text; only the lengths of the refusal and of the calls' arguments are in the metadata.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chat.calls import Call
from chat.messages import told_calls
from chat.replies import Reply
from chat.wire import AnswerForm, Told, usage_of
from relationships.models import Message, MessageRole, Turn
from relationships.services.limits import metadata_fault

REPLY = "rapport_reply"  # the key in the metadata
_Count = Annotated[int, Field(ge=0)]


class _KeptCall(BaseModel):
    model_config = ConfigDict(strict=True)

    id: str
    name: str
    length: _Count
    extra: Any = None


class _KeptUsage(BaseModel):
    model_config = ConfigDict(strict=True)

    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    total_tokens: _Count = 0
    prompt_tokens_details: dict[str, _Count] = {"cached_tokens": 0}


class _KeptReply(BaseModel):
    """What metadata_of made."""

    model_config = ConfigDict(strict=True)

    finish_reason: str = "stop"
    usage: _KeptUsage = _KeptUsage()
    calls: list[_KeptCall] = []
    refused: _Count = 0

    @classmethod
    def read(cls, metadata: Mapping[str, Any]) -> "_KeptReply":
        """A message that a client stored may have anything under this key: that is then left alone."""
        try:
            return cls.model_validate(metadata.get(REPLY, {}))
        except ValidationError:
            return cls()


def metadata_of(reply: Reply) -> dict[str, Any]:
    calls = [
        {
            "id": call.id,
            "name": call.name,
            "length": len(call.arguments.replace("\x00", "")),
            **({"extra": call.extra} if call.extra else {}),
        }
        for call in reply.calls
    ]
    kept: dict[str, Any] = {
        "finish_reason": reply.finish,
        "usage": usage_of(reply.completions),
        "calls": calls,
    }
    if reply.refusal:
        kept["refused"] = len(reply.refusal)
    if metadata_fault({REPLY: kept}):  # a model's own notes on a call may be of any length
        kept["calls"] = [{name: value for name, value in call.items() if name != "extra"} for call in calls]
    return {REPLY: kept}


def told_before(relationship_id: UUID, turn_id: UUID) -> Told:
    """The reply of this turn. If it was hidden or erased meanwhile, it has no text and no metadata."""
    return told_in(
        Message.objects.for_relationship(relationship_id)
        .filter(turn_id=turn_id, hidden_at=None)
        .order_by("seq")
        .values_list("role", "content", "metadata")
    )


def told_in(turn: Iterable[tuple[str, str, Mapping[str, Any]]]) -> Told:
    """The reply at the end of a turn's messages: role, content and metadata of each."""
    messages = list(turn)
    said: list[str] = []
    for role, content, _ in reversed(messages):
        if role != MessageRole.ASSISTANT:
            break
        said.insert(0, content)
    kept = _KeptReply.read(messages[-1][2] if messages else {})
    text, calls = _split("".join(said), kept.calls)
    start = len(text) - kept.refused
    text, refusal = (text[:start].removesuffix("\n"), text[start:]) if 0 <= start < len(text) else (text, "")
    return Told(text, refusal, calls, kept.finish_reason, kept.usage.model_dump())


def again(form: AnswerForm, turn: Turn) -> dict[str, Any]:
    """The complete answer to the call that made this turn."""
    told = told_before(turn.relationship_id, turn.id)
    return form.earlier(turn).whole(told, rapport_of(turn))


def rapport_of(turn: Turn) -> dict[str, Any]:
    return {"turn_id": turn.id, "repeated": True}


def _split(said: str, kept: Sequence[_KeptCall]) -> tuple[str, list[Call]]:
    """Split a stored reply into its text and the calls after it; it has none if they are not there in full."""
    if sum(one.length for one in kept) > len(said):
        return said, []
    calls = [Call(one.id, one.name, " " * one.length, one.extra) for one in kept]
    start = len(said) - len(told_calls([call.as_message() for call in calls]))
    text = said[:start].removesuffix("\n") if calls else said
    for call in calls:
        start += len(told_calls([Call(name=call.name).as_message()])) - len(")]")
        call.arguments = said[start : start + len(call.arguments)]
        start += len(call.arguments) + len(")]\n")
    whole = not calls or said.endswith(told_calls([call.as_message() for call in calls]))
    return (text, calls) if whole else (said, [])
