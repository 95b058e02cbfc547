"""Reads the items of a Responses call, and turns them into messages of chat completions. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.messages import ROLES, Message, text_of
from chat.responses.ids import ItemId, item_of
from web.errors import InvalidInput

_SPEAKERS = tuple(role for role in ROLES if role != "tool")
REMOVED: Message = {"role": "assistant", "content": "[This reply was removed.]"}
_KINDS = "message, function_call, function_call_output, item_reference or reasoning"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the input, number `place`. Without a `message` it is what `known` names; with one, `known` is the call
    that the client sends again.
    """

    place: int
    message: Message | None
    known: ItemId | None = None


def read_items(given: str | Sequence[Any]) -> list[Item]:
    """The items to reply to. A model's reasoning is left out: no other model can use it. Raises InvalidInput, which
    names the item and the field.
    """
    if isinstance(given, str):
        return [Item(0, {"role": "user", "content": given})]
    read = (_read_item(one, place, f"input.{place}") for place, one in enumerate(given))
    return [item for item in read if item is not None]


def messages_of(
    items: Sequence[Item], found: Mapping[ItemId, Message | None], *, earlier: Sequence[Message]
) -> list[Any]:
    """The messages in the format of chat completions, after the `earlier` ones; `found`: what the items refer to.

    Calls belong to the reply before them. What was hidden or erased since is named as removed, and the
    results of calls among it are left out. Raises InvalidInput.
    """
    messages: list[dict[str, Any]] = [dict(message) for message in earlier]
    called = {call["id"] for message in earlier for call in message.get("tool_calls") or ()}
    named: set[ItemId] = set()
    any_gone = False
    for item in items:
        if item.message is None and item.known in named:
            raise InvalidInput.of(f"input.{item.place}.id", "comes twice")
        if item.known:
            named.add(item.known)
        message = _with_found(item, found)
        if message is None:
            any_gone, message = True, REMOVED
            if messages and messages[-1] == REMOVED:
                continue
        if message["role"] == "tool" and message["tool_call_id"] not in called:
            if any_gone:
                continue
            told = "answers no call: send the function_call too, or the previous_response_id of its response"
            raise InvalidInput.of(f"input.{item.place}.call_id", told)
        called.update(call["id"] for call in message.get("tool_calls") or ())
        _append(messages, message)
    new = {(item.message or {}).get("role") for item in items}
    if "user" not in new and not (new & {"tool"} and any(message["role"] == "user" for message in messages)):
        raise InvalidInput.of("input", "has no message of the role user: there is nothing to reply to")
    return messages


def _with_found(item: Item, found: Mapping[ItemId, Message | None]) -> Message | None:
    known = found.get(item.known) if item.known else None
    if item.message is None:
        if item.known not in found:
            raise InvalidInput.of(
                f"input.{item.place}.id",
                "is no item of a reply that was kept: send the item itself. Nothing is kept with store: false",
            )
        return known
    if known is None:
        return item.message
    calls = [
        {**call, "extra_content": kept["extra_content"]} if "extra_content" in kept else call
        for call, kept in zip(item.message["tool_calls"], known["tool_calls"], strict=True)
    ]  # what the model's vendor wants to have back, and clients leave out
    return {**item.message, "tool_calls": calls}


def _append(messages: list[dict[str, Any]], message: Message) -> None:
    last = messages[-1] if messages else {}
    both = last.get("role") == message["role"] == "assistant"
    if both and message.get("tool_calls"):
        last["tool_calls"] = last.get("tool_calls") or []
        last["tool_calls"] += message["tool_calls"]
    elif both and last.get("tool_calls") and not last.get("content"):
        last["content"] = message["content"]
    else:
        messages.append(
            {**message, "tool_calls": [*message["tool_calls"]]} if "tool_calls" in message else dict(message)
        )


def _read_item(one: Any, place: int, where: str) -> Item | None:
    if not isinstance(one, dict):
        raise InvalidInput.of(where, "must be an object")
    kind = one.get("type") or ("message" if "role" in one else "item_reference")
    if kind == "message":
        return Item(place, _message(one, where))
    if kind == "function_call":
        known = item_of(str(one.get("id")))
        return Item(place, _call(one, where), known if known and known.place is not None else None)
    if kind == "function_call_output":
        return Item(place, _result(one, where))
    if kind == "item_reference":
        named = _text(one, "id", where)
        return Item(place, None, item_of(named))
    if kind == "reasoning":
        return None
    raise InvalidInput.of(
        f"{where}.type", f"must be {_KINDS}: other items belong to tools that run at OpenAI"
    )


def _message(one: Mapping[str, Any], where: str) -> Message:
    role = one.get("role")
    if role not in _SPEAKERS:
        raise InvalidInput.of(f"{where}.role", f"must be one of {', '.join(_SPEAKERS)}")
    content = _content(one.get("content"), f"{where}.content")
    if role != "user":
        content = text_of({"content": content})
    return {"role": role, "content": content}


def _call(one: Mapping[str, Any], where: str) -> Message:
    function = {"name": _text(one, "name", where), "arguments": _text(one, "arguments", where)}
    extra = {"extra_content": one["extra_content"]} if isinstance(one.get("extra_content"), dict) else {}
    call = {"id": _text(one, "call_id", where), "type": "function", "function": function, **extra}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(one: Mapping[str, Any], where: str) -> Message:
    said = text_of({"content": _content(one.get("output"), f"{where}.output")})
    return {"role": "tool", "tool_call_id": _text(one, "call_id", where), "content": said}


def _content(content: Any, where: str) -> str | list[Message]:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidInput.of(where, "must be a text, or a list of parts")
    parts = [_part(part, f"{where}.{place}") for place, part in enumerate(content)]
    return parts[0]["text"] if len(parts) == 1 and "text" in parts[0] else parts


def _part(part: Any, where: str) -> Message:
    kind = part.get("type") if isinstance(part, dict) else None
    reader = _PARTS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise InvalidInput.of(where, f"must be an object whose type is one of {', '.join(_PARTS)}")
    return reader(part, where)


def _words(part: Mapping[str, Any], where: str) -> Message:
    return {"type": "text", "text": _text(part, "text", where)}


def _refusal(part: Mapping[str, Any], where: str) -> Message:
    return {"type": "text", "text": _text(part, "refusal", where)}


def _image(part: Mapping[str, Any], where: str) -> Message:
    detail = {"detail": part["detail"]} if isinstance(part.get("detail"), str) else {}
    return {"type": "image_url", "image_url": {"url": _text(part, "image_url", where), **detail}}


def _file(part: Mapping[str, Any], where: str) -> Message:
    named = {"filename": part["filename"]} if isinstance(part.get("filename"), str) else {}
    return {"type": "file", "file": {"file_data": _text(part, "file_data", where), **named}}


def _audio(part: Mapping[str, Any], where: str) -> Message:
    audio = part.get("input_audio")
    if not isinstance(audio, dict):
        raise InvalidInput.of(f"{where}.input_audio", "must be an object: data and format")
    return {"type": "input_audio", "input_audio": audio}


_PARTS: Mapping[str, Callable[..., Message]] = {
    "input_text": _words,
    "output_text": _words,
    "text": _words,
    "refusal": _refusal,
    "input_image": _image,
    "input_file": _file,
    "input_audio": _audio,
}


def _text(one: Mapping[str, Any], name: str, where: str) -> str:
    text = one.get(name)
    if isinstance(text, str):
        return text
    stored = "; files are not stored here, so file_id can't be used" if "file_id" in one else ""
    raise InvalidInput.of(f"{where}.{name}", f"must be a text{stored}")
