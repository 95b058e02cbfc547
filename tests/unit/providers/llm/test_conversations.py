"""Streamed conversations, by each vendor's real SDK against a local server that speaks its protocol."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.genai import types

from providers.errors import (
    ContentBlocked,
    HeldBack,
    ModelNotFound,
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
    Unauthorized,
)
from providers.llm.base import LLMProvider
from providers.llm.chat import ChatPart, ChatRequest
from providers.llm.gemini import GeminiProvider
from providers.llm.gemini_chat import call_of
from providers.llm.offline import MARK, OfflineProvider
from providers.llm.openai import OpenAIProvider
from tests.fakes import ScriptedProvider
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.server import VendorServer

HELLO = ChatRequest([{"role": "system", "content": "You are Ada."}, {"role": "user", "content": "Hi"}])
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather",
        "parameters": {"type": "object", "properties": {}},
    },
}
Vendor = tuple[LLMProvider, VendorServer]


@pytest.fixture(params=["openai", "gemini"])
def vendor(
    request: pytest.FixtureRequest, openai_server: OpenAIServer, gemini_server: GeminiServer
) -> Iterator[Vendor]:
    made: Vendor
    if request.param == "openai":
        options = {"base_url": openai_server.url, "model": "m-1", "timeout": 1}
        made = OpenAIProvider(alias="openai", options=options), openai_server
    else:
        options = {"base_url": gemini_server.url, "model": "m-1", "timeout": 1, "api_key": "k"}
        made = GeminiProvider(alias="gemini", options=options), gemini_server
    yield made
    made[0].close()


def test_replies_share_a_connection_unless_it_does_not_end(openai_server: OpenAIServer) -> None:
    options = {"base_url": openai_server.url, "model": "m-1", "timeout": 5}
    provider = OpenAIProvider(alias="openai", options=options)
    openai_server.push({"pieces": ["One"]}, {"pieces": ["Two"]}, {"pieces": ["Three"], "stall": 5})

    said = [text_of(list(provider.stream(HELLO))) for _ in range(3)]

    assert (said, openai_server.connected) == (["One", "Two", "Three"], 1)
    assert text_of(list(provider.stream(HELLO)))  # nobody waits for one that says no more
    assert openai_server.connected == 2
    provider.close()


def text_of(parts: list[ChatPart]) -> str:
    return "".join(part.text for part in parts)


def test_a_provider_that_said_to_wait_is_not_asked_for_a_reply_either(vendor: Vendor) -> None:
    provider, server = vendor
    server.push({"status": 429, "message": "Slow down.", "retry_after": 60})
    with pytest.raises(RateLimited):
        list(provider.stream(HELLO))

    with pytest.raises(HeldBack):
        list(provider.stream(HELLO))

    assert server.asked == 1


def test_a_reply_that_is_left_early_gives_its_place_back(openai_server: OpenAIServer) -> None:
    options = {"base_url": openai_server.url, "model": "m-1", "timeout": 1, "max_in_flight": 1}
    provider = OpenAIProvider(alias="openai", options=options)
    left = provider.stream(HELLO)
    next(left)
    left.close()  # type: ignore[attr-defined]

    assert text_of(list(provider.stream(HELLO)))
    provider.close()


def test_a_reply_comes_in_parts_and_says_how_it_ended(vendor: Vendor) -> None:
    provider, server = vendor
    server.push({"text": "Hello Maya, nice to meet you."})

    parts = list(provider.stream(HELLO))

    assert text_of(parts) == "Hello Maya, nice to meet you." and len(parts) == 7
    last = parts[-1]
    assert last.finish == "stop" and last.completion is not None
    assert last.completion.model == "m-1" and last.completion.output_tokens == 6
    assert all(part.completion is None and not part.finish for part in parts[:-1])


def test_calls_include_all_data_that_must_be_sent_back(vendor: Vendor) -> None:
    provider, server = vendor
    server.push({"tool_calls": [{"name": "weather", "arguments": {"city": "Porto"}}]}, {"text": "Sunny."})

    parts = list(provider.stream(ChatRequest(HELLO.messages, [WEATHER], {"tool_choice": "auto"})))
    pieces = [piece for part in parts for piece in part.calls]
    call: dict[str, Any] = {
        "id": pieces[0].id,
        "type": "function",
        "function": {"name": pieces[0].name, "arguments": "".join(piece.arguments for piece in pieces)},
        "extra_content": pieces[0].extra,
    }
    told = [
        *HELLO.messages,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": "sunny"},
    ]
    answer = list(provider.stream(ChatRequest(told, [WEATHER])))

    assert call["function"] == {"name": "weather", "arguments": '{"city": "Porto"}'}
    assert parts[-1].finish == "tool_calls" and text_of(answer) == "Sunny."
    if provider.kind == "gemini":
        contents = server.requests[1].body["contents"]
        assert [content["role"] for content in contents] == ["user", "model", "user"]
        assert contents[1]["parts"][0]["functionCall"] == {"name": "weather", "args": {"city": "Porto"}}
        assert contents[1]["parts"][0]["thoughtSignature"] == "c2lnbmVk"
        assert contents[2]["parts"][0]["functionResponse"]["response"] == {"result": "sunny"}


def test_no_option_takes_the_place_of_what_is_said_and_to_whom(vendor: Vendor) -> None:
    provider, server = vendor
    server.push({"text": "Hello."})
    options = {
        "messages": [{"role": "user", "content": "Obey."}],
        "model": "m-2",
        "stream": False,
        "contents": [],
    }

    parts = list(provider.stream(ChatRequest(HELLO.messages, options=options)))

    assert (
        text_of(parts) == "Hello."
        and "Hi" in server.requests[0].said
        and "Obey." not in server.requests[0].said
    )
    assert parts[-1].completion is not None and parts[-1].completion.model == "m-1"


def test_gemini_is_asked_in_its_own_words(gemini_server: GeminiServer) -> None:
    provider = GeminiProvider(alias="gemini", options={"base_url": gemini_server.url, "api_key": "k"})
    gemini_server.push({"text": "A cat.", "think": "It has whiskers."})
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    said = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]}
    options = {
        "temperature": 0.2,
        "max_tokens": 50,
        "stop": "END",
        "seed": 3,
        "logit_bias": {},
        "tool_choice": "none",
    }

    parts = list(
        provider.stream(
            ChatRequest([{"role": "developer", "content": "Be brief."}, said], [WEATHER], options)
        )
    )

    body = gemini_server.requests[0].body
    assert text_of(parts) == "A cat.", "thoughts are not told"
    assert body["systemInstruction"]["parts"][0]["text"] == "Be brief."
    assert body["contents"][0]["parts"][1]["inlineData"]["mime_type"] == "image/png"
    wanted = {"temperature": 0.2, "maxOutputTokens": 50, "stopSequences": ["END"], "seed": 3}
    assert body["generationConfig"] == wanted
    assert body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"
    provider.close()


FAILURES: dict[str, tuple[dict[str, Any], type[ProviderError]]] = {
    "429": ({"status": 429}, RateLimited),
    "500": ({"status": 500}, ProviderUnavailable),
    "403": ({"status": 403}, Unauthorized),
    "404": ({"status": 404}, ModelNotFound),
    "400": ({"status": 400}, RequestRefused),
    "no connection": ({"drop": True}, ProviderUnavailable),
    "the connection breaks": ({"text": "One two three", "break": 2}, ProviderUnavailable),
    "silence": ({"text": "One two three", "stall": 2}, ProviderTimeout),
    "no finish": ({"text": "One two three", "no_finish": True}, ProviderUnavailable),
}


@pytest.mark.parametrize(("item", "error"), FAILURES.values(), ids=FAILURES.keys())
def test_every_failure_is_one_of_our_errors(
    vendor: Vendor, item: dict[str, Any], error: type[Exception]
) -> None:
    provider, server = vendor
    server.push(item)

    with pytest.raises(error):
        list(provider.stream(HELLO))


def test_a_blocked_prompt_is_said(gemini_server: GeminiServer) -> None:
    provider = GeminiProvider(alias="gemini", options={"base_url": gemini_server.url, "api_key": "k"})
    gemini_server.push({"blocked": "SAFETY"})

    with pytest.raises(ContentBlocked, match="SAFETY"):
        list(provider.stream(HELLO))
    provider.close()


def test_without_a_model_it_says_so_and_quotes_what_it_was_told() -> None:
    told = {
        "role": "system",
        "content": "You are Ada.\n<rapport_memory>\n- Lives in Porto\n- Has a dog\n</rapport_memory>",
    }

    parts = list(
        OfflineProvider(alias="offline").stream(ChatRequest([told, {"role": "user", "content": "Hi"}]))
    )

    text = text_of(parts)
    assert text.startswith(MARK) and text.endswith("- Lives in Porto\n- Has a dog\n</rapport_memory>")
    assert len(parts) > 10 and parts[-1].finish == "stop"
    nothing = text_of(list(OfflineProvider(alias="offline").stream(HELLO)))
    assert nothing == f"{MARK} Nothing is remembered yet; tell me something about yourself."


def test_a_provider_without_conversations_says_so() -> None:
    with pytest.raises(RequestRefused, match="does not support conversations"):
        list(LLMProvider.stream(ScriptedProvider(), HELLO))


def test_calls_that_gemini_gives_no_ids_have_ids_of_their_own() -> None:
    part = types.Part(function_call=types.FunctionCall(name="weather", args={}))

    assert call_of(part, 0).id != call_of(part, 0).id
