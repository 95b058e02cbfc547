"""The forms of an answer, and that of OpenAI's chat completions: complete, chunks of a stream, and errors. Pure."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from uuid import uuid4

import orjson

from chat.calls import Call
from providers.llm.base import Completion
from providers.llm.chat import CallPart, ChatPart
from relationships.models import Turn

DONE = b"data: [DONE]\n\n"
# OpenAI's error types, by status; its clients only look at the status.
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A complete reply. `refusal`: the words with which the model refused, which are not in `text`."""

    text: str
    refusal: str
    calls: Sequence[Call]
    finish: str
    usage: Mapping[str, Any]
    logprobs: Mapping[str, Sequence[Any]] | None = None


class AnswerForm(Protocol):
    """The format of one answer, complete or as a stream of events. `rapport`: our own field in it."""

    def whole(self, told: Told, rapport: Any) -> dict[str, Any]:
        """The complete answer."""

    def begin(self, part: ChatPart) -> Iterable[bytes]:
        """The first events, with the reply's first part."""

    def go_on(self, part: ChatPart) -> Iterable[bytes]:
        """The events of a later part."""

    def end(self, told: Told, rapport: Any) -> Iterable[bytes]:
        """The last events. `told`: the parts together."""

    def broken(self, error: Mapping[str, Any]) -> bytes:
        """The last event of a stream that breaks off. Without it, OpenAI's clients would not raise an error."""

    def earlier(self, turn: Turn) -> "AnswerForm":
        """The form for the answer that made this turn."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Chat completions: the fields that all chunks of an answer share. `model`: as the client named it. `tells_usage`:
    the client asked for usage, so every chunk has the field, and the last one fills it.
    """

    model: str
    tells_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def chunk(
        self,
        delta: Mapping[str, Any] | None,
        *,
        logprobs: Mapping[str, Any] | None = None,
        finish: str | None = None,
        **beside: Any,
    ) -> bytes:
        """One event of the stream; without a delta it has no choices."""
        told = {} if logprobs is None else {"logprobs": logprobs}
        choices = [] if delta is None else [{"index": 0, "delta": delta, **told, "finish_reason": finish}]
        return event(
            {
                "id": self.id,
                "object": "chat.completion.chunk",
                "created": self.created,
                "model": self.model,
                "choices": choices,
                **({"usage": None} if self.tells_usage else {}),
                **beside,
            }
        )

    def begin(self, part: ChatPart) -> Iterable[bytes]:
        return (self.chunk(delta_of(part, first=True), logprobs=part.logprobs),)

    def go_on(self, part: ChatPart) -> Iterable[bytes]:
        return (self.chunk(delta_of(part, first=False), logprobs=part.logprobs),)

    def end(self, told: Told, rapport: Any) -> Iterator[bytes]:
        if self.tells_usage:
            yield self.chunk({}, finish=told.finish)
            yield self.chunk(None, usage=told.usage, rapport=rapport)
        else:
            yield self.chunk({}, finish=told.finish, rapport=rapport)
        yield DONE

    def broken(self, error: Mapping[str, Any]) -> bytes:
        return event(error)

    def earlier(self, turn: Turn) -> "Envelope":
        return replace(self, created=int(turn.recorded_at.timestamp()))

    def whole(self, told: Told, rapport: Any) -> dict[str, Any]:
        text, calls = told.text, told.calls
        message: dict[str, Any] = {"role": "assistant"}
        message["content"] = text if text or not (calls or told.refusal) else None
        message["refusal"] = told.refusal or None
        if calls:
            message["tool_calls"] = [call.as_message() for call in calls]
        choice = {"index": 0, "message": message, "finish_reason": told.finish, "logprobs": told.logprobs}
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [choice],
            "usage": told.usage,
            "rapport": rapport,
        }


def delta_of(part: ChatPart, *, first: bool) -> dict[str, Any]:
    delta: dict[str, Any] = {"role": "assistant", "content": ""} if first else {}
    if part.text:
        delta["content"] = part.text
    if part.refusal:
        delta["refusal"] = part.refusal
    if part.calls:
        delta["tool_calls"] = [_call(piece) for piece in part.calls]
    return delta


def part_of_whole(told: Told) -> ChatPart:
    """A complete reply as its only part."""
    pieces = (
        CallPart(place, call.id, call.name, call.arguments, call.extra)
        for place, call in enumerate(told.calls)
    )
    return ChatPart(text=told.text, refusal=told.refusal, calls=tuple(pieces))


def _call(piece: CallPart) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": piece.arguments}
    call: dict[str, Any] = {"index": piece.index, "function": function}
    if piece.name:
        call |= {"id": piece.id, "type": "function"}
        function["name"] = piece.name
    if piece.extra:
        call["extra_content"] = dict(piece.extra)
    return call


def usage_of(completions: Sequence[Completion | None]) -> dict[str, Any]:
    """The total usage of a reply, including rounds with memory tools."""
    asked = [one for one in completions if one is not None]
    prompt, output, cached = (
        sum(max(0, getattr(one, name) or 0) for one in asked)
        for name in ("prompt_tokens", "output_tokens", "cached_tokens")
    )
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def error_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem (RFC 9457) in OpenAI's format, with the problem itself inside."""
    status = int(problem.get("status") or 500)
    fields = problem.get("errors") or []
    kind = _TYPES.get(status) or ("invalid_request_error" if status < 500 else "server_error")
    return {
        "error": {
            "message": problem.get("detail") or problem.get("title"),
            "type": kind,
            "param": fields[0]["field"] if fields else None,
            "code": str(problem.get("type", "")).rpartition(":")[2] or None,
            "problem": dict(problem),
        }
    }


def event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(data) + b"\n\n"
