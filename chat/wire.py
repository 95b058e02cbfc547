"""OpenAI's wire format: complete answers, chunks of a stream, and errors. Pure."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import orjson

from chat.calls import Call
from providers.llm.base import Completion
from providers.llm.chat import CallPart, ChatPart

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


@dataclass(frozen=True, slots=True)
class Envelope:
    """The fields that all chunks of an answer share. `model`: as the client named it. `tells_usage`: the client asked
    for usage, so every chunk has the field, and the last one fills it.
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

    def ending(self, finish: str, usage: Mapping[str, Any], rapport: Any) -> Iterator[bytes]:
        """Yield the last events."""
        if self.tells_usage:
            yield self.chunk({}, finish=finish)
            yield self.chunk(None, usage=usage, rapport=rapport)
        else:
            yield self.chunk({}, finish=finish, rapport=rapport)
        yield DONE

    def completion(self, told: Told, rapport: Any, *, logprobs: Any = None) -> dict[str, Any]:
        """The complete answer."""
        text, calls = told.text, told.calls
        message: dict[str, Any] = {"role": "assistant"}
        message["content"] = text if text or not (calls or told.refusal) else None
        message["refusal"] = told.refusal or None
        if calls:
            message["tool_calls"] = [call.as_message() for call in calls]
        return {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": told.finish, "logprobs": logprobs}],
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


def delta_of_whole(told: Told) -> dict[str, Any]:
    """The delta of a complete reply."""
    pieces = (
        CallPart(place, call.id, call.name, call.arguments, call.extra)
        for place, call in enumerate(told.calls)
    )
    whole = ChatPart(text=told.text, refusal=told.refusal, calls=tuple(pieces))
    return delta_of(whole, first=True)


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
