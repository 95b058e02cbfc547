"""A streamed reply of a server that speaks OpenAI's chat completions, read line by line.

The SDK asks; its lines are read here. A chunk made into the SDK's own objects costs ten times as much as its JSON, and
every part of every reply is one.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import orjson

from providers.errors import ProviderUnavailable
from providers.llm.chat import CallPart, ChatPart
from providers.llm.hosted import VendorAnswer

DONE = "[DONE]"


def read_chunks(
    lines: Iterable[str], *, model: str, request_id: str | None, quote: Callable[[object], str]
) -> Generator[ChatPart, None, VendorAnswer]:
    """Raises ProviderUnavailable for an error amid the stream, for what is no chunk, and without a finish."""
    finish, usage, answered_by, ended = "", None, model, False
    for line in lines:
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == DONE:
            ended = True
            break
        chunk = _chunk(data)
        if chunk.get("error"):
            raise ProviderUnavailable(f"The server broke off its reply: {quote(chunk['error'])}")
        usage, answered_by = chunk.get("usage") or usage, chunk.get("model") or answered_by
        for choice in chunk.get("choices") or ():
            finish = choice.get("finish_reason") or finish
            part = part_of(choice.get("delta") or {})
            if part.text or part.calls:
                yield part
    if not finish:
        how = "ended its reply without saying how" if ended else "broke off in the middle of its reply"
        raise ProviderUnavailable(f"The server {how}.")
    return _answer(finish, usage or {}, answered_by, request_id)


def part_of(delta: Mapping[str, Any]) -> ChatPart:
    """The part in a chunk's delta, or in a whole message."""
    calls = tuple(_call(place, call) for place, call in enumerate(delta.get("tool_calls") or ()))
    text = delta.get("content") or delta.get("refusal") or ""
    return ChatPart(text=text if isinstance(text, str) else "", calls=calls)


def _call(place: int, call: Mapping[str, Any]) -> CallPart:
    function = call.get("function") or {}
    arguments = function.get("arguments") or ""
    if not isinstance(arguments, str):  # some servers send the object itself
        arguments = orjson.dumps(arguments).decode()
    index = call.get("index")
    return CallPart(
        index=place if index is None else index,
        id=call.get("id") or "",
        name=function.get("name") or "",
        arguments=arguments,
        extra=call.get("extra_content"),
    )


def _chunk(data: str) -> Mapping[str, Any]:
    try:
        chunk = orjson.loads(data)
    except ValueError:
        chunk = None
    if not isinstance(chunk, dict):
        raise ProviderUnavailable("The server sent something that is no part of a reply.")
    return chunk


def _answer(finish: str, usage: Mapping[str, Any], model: str, request_id: str | None) -> VendorAnswer:
    return VendorAnswer(
        text="",
        model=model,
        finish_reason="tool_calls" if finish == "function_call" else finish,
        prompt_tokens=usage.get("prompt_tokens"),
        output_tokens=usage.get("completion_tokens"),
        cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
        request_id=request_id,
    )
