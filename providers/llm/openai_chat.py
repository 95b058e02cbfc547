"""Reads a streamed reply in OpenAI's format, line by line.

The SDK makes the request, but not the objects: they would cost ten times as much as parsing the JSON, for every chunk
of every reply.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any

import orjson

from providers.errors import ProviderUnavailable
from providers.llm.chat import CallPart, ChatPart
from providers.llm.hosted import VendorAnswer
from providers.reported import storable

DONE = "[DONE]"


def lines_of(parts: Iterable[bytes]) -> Iterator[str]:
    """The lines of a stream of events. JSON may contain U+2028 or U+0085, at which `iter_lines` would break a line."""
    begun: list[bytes] = []  # the pieces of a line that is not complete
    for part in parts:
        *lines, rest = part.split(b"\n")
        for line in lines:
            yield b"".join((*begun, line)).decode("utf-8", "replace")
            begun.clear()
        begun.append(rest)
    yield b"".join(begun).decode("utf-8", "replace")


def read_chunks(
    lines: Iterable[str], *, model: str, quote: Callable[[object], str]
) -> Generator[ChatPart, None, VendorAnswer]:
    """Yield the parts, then return the answer. Raises ProviderUnavailable for an error within the stream, an invalid
    chunk, or a missing finish reason.
    """
    finish, answered_by, places = "", model, Places()
    how = "sent no part of a reply; is its base URL right?"
    usage: Any = None
    for line in lines:
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == DONE:
            how = "ended its reply without saying how."
            break
        how = "broke off in the middle of its reply."
        chunk = _chunk(data)
        if chunk.get("error"):
            raise ProviderUnavailable(f"The server broke off its reply: {quote(chunk['error'])}")
        usage, answered_by = chunk.get("usage") or usage, chunk.get("model") or answered_by
        for choice in chunk.get("choices") or ():
            finish = choice.get("finish_reason") or finish
            part = _part_of(choice, places)
            if part.text or part.refusal or part.calls:
                yield part
    if not finish:
        raise ProviderUnavailable(f"The server {how}")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    return VendorAnswer(
        text="",
        model=answered_by,
        finish="tool_calls" if finish == "function_call" else finish,
        prompt_tokens=usage.get("prompt_tokens"),
        output_tokens=usage.get("completion_tokens"),
        cached_tokens=details.get("cached_tokens") if isinstance(details, dict) else None,
    )


class Places:
    """Assigns pieces to calls. Some servers number all calls 0; then a new ID with a name begins a new call."""

    def __init__(self) -> None:
        self._begun: dict[object, tuple[int, str]] = {}  # by the server's number: ours, and the ID
        self._count = 0

    def of(self, index: object, id: str, name: str) -> int:
        place, of_id = self._begun.get(index, (-1, ""))
        if place < 0 or (name and id and of_id and id != of_id):
            place, self._count = self._count, self._count + 1
        self._begun[index] = place, id or of_id
        return place


def _part_of(choice: Mapping[str, Any], places: Places) -> ChatPart:
    delta = choice.get("delta") or {}
    calls = tuple(_call(place, call, places) for place, call in enumerate(delta.get("tool_calls") or ()))
    content, logprobs = delta.get("content") or "", choice.get("logprobs")
    if isinstance(content, list):  # a list of parts, some of which may be thoughts
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    return ChatPart(
        text=_text(content),
        refusal=_text(delta.get("refusal") or ""),
        logprobs=logprobs if isinstance(logprobs, dict) else None,
        calls=calls,
    )


def _call(place: int, call: Mapping[str, Any], places: Places) -> CallPart:
    function = call.get("function") or {}
    arguments = function.get("arguments") or ""
    if not isinstance(arguments, str):  # some servers send the object itself
        arguments = orjson.dumps(arguments).decode()
    told = call.get("extra_content")
    can_be_kept = isinstance(told, dict) and b"\\u0000" not in orjson.dumps(told)
    index, id, name = call.get("index"), _text(call.get("id") or ""), _text(function.get("name") or "")
    return CallPart(
        index=places.of(place if index is None else index, id, name),
        id=id,
        name=name,
        arguments=_text(arguments),
        extra=told if can_be_kept else None,
    )


def _text(told: object) -> str:
    """Make a text storable. Raises TypeError for anything else, which makes the answer invalid."""
    if not isinstance(told, str):
        raise TypeError
    return storable(told)


def _chunk(data: str) -> Mapping[str, Any]:
    try:
        chunk = orjson.loads(data)
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict):
        raise ProviderUnavailable("The server sent something that is not part of a reply.")
    return chunk
