"""Odd things that models and their servers send in a stream, and that clients ask of Gemini: no reply is lost for them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from providers.errors import ProviderUnavailable, RequestRefused
from providers.llm.chat import ChatRequest
from providers.llm.gemini import GeminiProvider
from providers.llm.openai import OpenAIProvider
from tests.unit.providers.llm.test_conversations import HELLO, WEATHER, text_of
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer


def gemini_sends(server: GeminiServer, *parts: dict[str, Any]) -> None:
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    server.push({"raw": f"data: {json.dumps(answer)}\r\n\r\n", "content_type": "text/event-stream"})


def test_odd_answers_of_gemini_are_made_storable(gemini_server: GeminiServer) -> None:
    provider = GeminiProvider(alias="gemini", options={"base_url": gemini_server.url, "api_key": "k"})
    gemini_sends(
        gemini_server,
        {"text": "a\ud800b\x00c"},
        {"functionCall": {"name": "weather", "args": {"city": "\ud800São"}}},
    )

    parts = list(provider.stream(HELLO))

    assert text_of(parts) == "a?b\ufffdc" and parts[1].calls[0].arguments == '{"city": "?São"}'
    provider.close()


NOT_AS_OPENAI_HAS_IT: dict[str, tuple[Any, list[Any], dict[str, Any]]] = {
    "a picture without an address": ([{"type": "image_url"}], [], {}),
    "a picture that is no base64": (
        [{"type": "image_url", "image_url": {"url": "data:image/png;base64,A"}}],
        [],
        {},
    ),
    "a choice without a name": ("Hi", [WEATHER], {"tool_choice": {"type": "function"}}),
    "a format that is a text": ("Hi", [], {"response_format": "json"}),
}


@pytest.mark.parametrize(
    ("content", "tools", "options"), NOT_AS_OPENAI_HAS_IT.values(), ids=NOT_AS_OPENAI_HAS_IT.keys()
)
def test_unsupported_input_for_gemini_is_the_callers_error(
    gemini_server: GeminiServer, content: Any, tools: list[Any], options: dict[str, Any]
) -> None:
    provider = GeminiProvider(alias="gemini", options={"base_url": gemini_server.url, "api_key": "k"})

    with pytest.raises(RequestRefused, match="in OpenAI's format"):
        list(provider.stream(ChatRequest([{"role": "user", "content": content}], tools, options)))
    assert gemini_server.asked == 0
    provider.close()


def openai_sends(server: OpenAIServer, *deltas: Any, **beside: Any) -> None:
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], **beside}
    raw = "".join(f"data: {json.dumps(chunk, ensure_ascii=False)}\r\n\r\n" for chunk in (*chunks, last))
    server.push({"raw": f"{raw}data: [DONE]\n\n", "content_type": "text/event-stream"})


def call(index: Any = 0, id: Any = "c1", name: Any = "weather", **fields: Any) -> dict[str, Any]:
    return {"index": index, "id": id, "function": {"name": name, "arguments": "{}"}, **fields}


@pytest.fixture
def openai(openai_server: OpenAIServer) -> Iterator[OpenAIProvider]:
    provider = OpenAIProvider(alias="openai", options={"base_url": openai_server.url, "model": "m-1"})
    yield provider
    provider.close()


def test_odd_extra_data_of_a_server_does_not_break_a_reply(
    openai: OpenAIProvider, openai_server: OpenAIServer
) -> None:
    for usage in (
        "much",
        {"prompt_tokens": "x", "completion_tokens": -1},
        {"prompt_tokens": 10**18, "completion_tokens": 1.5},
        {"prompt_tokens": True, "prompt_tokens_details": []},
    ):
        openai_sends(openai_server, {"content": "Fine."}, usage=usage, model="m\x00" + "m" * 500)
        *parts, last = openai.stream(HELLO)
        told = last.completion

        assert text_of(parts) == "Fine." and told is not None
        assert (told.prompt_tokens, told.output_tokens, told.cached_tokens) == (None, None, None)
        assert told.model == "m\ufffd" + "m" * 118


def test_only_a_line_break_ends_a_line_of_a_stream(
    openai: OpenAIProvider, openai_server: OpenAIServer
) -> None:
    said = ["one\u2028two", "\u2029\x85three\n", "\x1c\x0b\x0cSão"]
    openai_sends(openai_server, *({"content": part} for part in said))

    assert [part.text for part in openai.stream(HELLO) if part.text] == said


def test_a_finish_is_a_short_word(openai: OpenAIProvider, openai_server: OpenAIServer) -> None:
    ends = [{"choices": [{"delta": {"content": "Fine."}, "finish_reason": "x\n" * 500}]}]
    openai_server.push({"raw": f"data: {json.dumps(ends[0])}\n\n", "content_type": "text/event-stream"})

    assert list(openai.stream(HELLO))[-1].finish == "x" * 60


@pytest.mark.parametrize("piece", [call(name=["weather"]), call(name=5), call(id=5), "weather"])
def test_an_invalid_call_is_an_invalid_answer(
    openai: OpenAIProvider, openai_server: OpenAIServer, piece: Any
) -> None:
    openai_sends(openai_server, {"tool_calls": [piece]})

    with pytest.raises(ProviderUnavailable, match="invalid answer"):
        list(openai.stream(HELLO))


def test_notes_on_a_call_that_are_none_are_left_out(
    openai: OpenAIProvider, openai_server: OpenAIServer
) -> None:
    for notes in ("x", [1], {"a": "\x00"}):
        openai_sends(openai_server, {"tool_calls": [call(extra_content=notes)]})
        assert next(iter(openai.stream(HELLO))).calls[0].extra is None


def test_calls_with_the_same_number_are_distinguished(
    openai: OpenAIProvider, openai_server: OpenAIServer
) -> None:
    more = {"index": 0, "id": "c2", "function": {"arguments": "x"}}
    for index in (0, None):
        openai_sends(
            openai_server,
            {"tool_calls": [call(index)]},
            {"tool_calls": [call(index, "c2")]},
            {"tool_calls": [{**more, "index": index}]},
        )
        pieces = [piece for part in openai.stream(HELLO) for piece in part.calls]
        assert [(piece.index, piece.id) for piece in pieces] == [(0, "c1"), (1, "c2"), (1, "c2")]


def test_words_in_parts_are_joined_without_the_thoughts(
    openai: OpenAIProvider, openai_server: OpenAIServer
) -> None:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    openai_sends(openai_server, {"content": [thoughts]}, {"content": [{"type": "text", "text": "Fine."}]})

    assert text_of(list(openai.stream(HELLO))) == "Fine."


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("<!doctype html><title>Not a model</title>", "base URL"),
        (json.dumps({"choices": [{"message": {"content": "Hi"}}]}), "base URL"),
        ('data: {"choices": []}\n\n', "in the middle"),
        ("data: [DONE]\n\n", "without saying how"),
    ],
    ids=["a page", "a document", "a part", "no part"],
)
def test_what_is_no_reply_is_told_by_what_came(
    openai: OpenAIProvider, openai_server: OpenAIServer, raw: str, said: str
) -> None:
    openai_server.push({"raw": raw, "content_type": "text/html"})

    with pytest.raises(ProviderUnavailable, match=said):
        list(openai.stream(HELLO))
