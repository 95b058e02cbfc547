"""The Responses protocol's form of an answer: an object with items of output, or the events by which it grows. Pure."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from chat.calls import Call
from chat.responses.ids import ReplyId
from chat.wire import Told
from providers.llm.chat import CallPart, ChatPart
from relationships.models import Turn

# What is told of a call's fields if it did not say them, as OpenAI does.
_UNSAID: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "store": True,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "truncation": "disabled",
    "user": None,
}
_INCOMPLETE = {
    "length": "max_output_tokens",
    "content_filter": "content_filter",
}  # by the model's finish reason
_MESSAGE = -1  # the reply's text among the items; calls have their numbers


class ResponseForm:
    """A response. `said`: the fields of the call, of which the answer repeats some, and its `model`."""

    def __init__(self, reply: ReplyId, said: Mapping[str, Any], *, created: int | None = None) -> None:
        self._reply, self._said = reply, said
        self._created = int(time.time()) if created is None else created
        self._broke_off = False
        self._count = 0  # events so far
        self._items: dict[int, int] = {}  # places in the output, in order
        self._parts: dict[str, int] = {}  # kinds of parts of the message's content, likewise

    def earlier(self, turn: Turn) -> "ResponseForm":
        reply = ReplyId(turn.relationship_id, turn.id)
        form = ResponseForm(reply, self._said, created=int(turn.recorded_at.timestamp()))
        form._broke_off = turn.interrupted
        return form

    def whole(self, told: Told, rapport: Any) -> dict[str, Any]:
        if told.text or told.refusal or not told.calls:
            self._items[_MESSAGE] = 0
        kinds = {"output_text": told.text or not told.refusal, "refusal": told.refusal}
        self._parts = {kind: 0 for kind, words in kinds.items() if words}
        self._items |= dict.fromkeys(range(len(told.calls)), 0)
        return self._finished(told, rapport)

    def begin(self, part: ChatPart) -> Iterator[bytes]:
        for kind in ("created", "in_progress"):
            yield self._event(f"response.{kind}", response=self._response("in_progress", []))
        yield from self.go_on(part)

    def go_on(self, part: ChatPart) -> Iterator[bytes]:
        told = part.logprobs or {}
        if part.text:
            yield from self._add(part.text, "output_text", logprobs=_logprobs(told))
        if part.refusal:
            yield from self._add(part.refusal, "refusal")
        for piece in part.calls:
            yield from self._call(piece)

    def end(self, told: Told, rapport: Any) -> Iterator[bytes]:
        if not self._items:
            yield from self._open_message()
            yield from self._open_part("output_text")
        for place, output_index in self._items.items():
            item = self._item(place, told)
            where = {"item_id": item["id"], "output_index": output_index}
            if place == _MESSAGE:
                for content_index, content in enumerate(item["content"]):
                    yield from self._close_part(content, **where, content_index=content_index)
            else:
                done = {"name": item["name"], "arguments": item["arguments"]}
                yield self._event("response.function_call_arguments.done", **where, **done)
            yield self._event("response.output_item.done", output_index=output_index, item=item)
        response = self._finished(told, rapport)
        yield self._event(f"response.{response['status']}", response=response)

    def broken(self, error: Mapping[str, Any]) -> bytes:
        known = error["error"]
        told = {name: known[name] for name in ("code", "message", "param")}
        return self._event("error", **told, error=known)  # told twice: clients read one or the other

    def _finished(self, told: Told, rapport: Any) -> dict[str, Any]:
        output = [self._item(place, told) for place in self._items]
        why = _INCOMPLETE.get(told.finish)
        details = {"incomplete_details": {"reason": why} if why else None}
        ending = {**details, "usage": _usage(told.usage), "rapport": rapport}
        status = "incomplete" if why or self._broke_off else "completed"
        return self._response(status, output) | ending

    def _response(self, status: str, output: Sequence[Any]) -> dict[str, Any]:
        said = self._said
        echoed = {name: said[name] if said.get(name) is not None else told for name, told in _UNSAID.items()}
        return {
            "id": self._reply.response,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "model": said["model"],
            "output": output,
            "usage": None,
            **echoed,
        }

    def _item(self, place: int, told: Told) -> dict[str, Any]:
        """A complete item of the output."""
        if place != _MESSAGE:
            return _as_item(told.calls[place], self._reply.call(place))
        words = {"output_text": told.text, "refusal": told.refusal}
        tokens = _logprobs(told.logprobs or {})
        content = [_as_part(kind, words[kind], tokens) for kind in self._parts]
        return self._message(content, "incomplete" if told.finish in _INCOMPLETE else "completed")

    def _message(self, content: Sequence[Any], status: str) -> dict[str, Any]:
        return {
            "id": self._reply.message,
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def _add(self, words: str, kind: str, **beside: Any) -> Iterator[bytes]:
        """The events of more words of the message."""
        yield from self._open_message()
        yield from self._open_part(kind)
        where = {"item_id": self._reply.message, "output_index": self._items[_MESSAGE]}
        place = {"content_index": self._parts[kind]}
        yield self._event(f"response.{kind}.delta", **where, **place, delta=words, **beside)

    def _open_message(self) -> Iterator[bytes]:
        if _MESSAGE not in self._items:
            self._items[_MESSAGE] = len(self._items)
            item = self._message([], "in_progress")
            yield self._event("response.output_item.added", output_index=self._items[_MESSAGE], item=item)

    def _open_part(self, kind: str) -> Iterator[bytes]:
        if kind not in self._parts:
            self._parts[kind] = len(self._parts)
            where = {"item_id": self._reply.message, "output_index": self._items[_MESSAGE]}
            part = _as_part(kind, "", [])
            yield self._event(
                "response.content_part.added", **where, content_index=self._parts[kind], part=part
            )

    def _close_part(self, part: Mapping[str, Any], **where: Any) -> Iterator[bytes]:
        kind = part["type"]
        fields = ("text", "logprobs") if kind == "output_text" else ("refusal",)
        told = {name: part[name] for name in fields}
        yield self._event(f"response.{kind}.done", **where, **told)
        yield self._event("response.content_part.done", **where, part=part)

    def _call(self, piece: CallPart) -> Iterator[bytes]:
        """The events of a piece of a call; the first piece has its name."""
        item_id = self._reply.call(piece.index)
        if piece.index not in self._items:
            self._items[piece.index] = len(self._items)
            call = Call(piece.id, piece.name, "", piece.extra)
            item = _as_item(call, item_id, status="in_progress")
            yield self._event("response.output_item.added", output_index=self._items[piece.index], item=item)
        if piece.arguments:
            where = {"item_id": item_id, "output_index": self._items[piece.index]}
            yield self._event("response.function_call_arguments.delta", **where, delta=piece.arguments)

    def _event(self, kind: str, **data: Any) -> bytes:
        number, self._count = self._count, self._count + 1
        told = orjson.dumps({"type": kind, "sequence_number": number, **data})
        return f"event: {kind}\ndata: ".encode() + told + b"\n\n"


def _as_part(kind: str, words: str, logprobs: Sequence[Any]) -> dict[str, Any]:
    if kind == "refusal":
        return {"type": kind, "refusal": words}
    return {"type": kind, "text": words, "annotations": [], "logprobs": logprobs}


def _logprobs(told: Mapping[str, Any]) -> list[Any]:
    """A text's, with the fields that this protocol has in each and servers of chat completions may leave out."""
    return [
        {**token, "bytes": token.get("bytes") or [], "top_logprobs": token.get("top_logprobs") or []}
        for token in told.get("content") or ()
        if isinstance(token, dict)
    ]


def _as_item(call: Call, item_id: str, *, status: str = "completed") -> dict[str, Any]:
    told = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
    extra = {"extra_content": call.extra} if call.extra else {}
    return {"id": item_id, "type": "function_call", "status": status, **told, **extra}


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {**usage["prompt_tokens_details"], "cache_write_tokens": 0},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage["total_tokens"],
    }
