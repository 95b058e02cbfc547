"""The real openai SDK over real HTTP against a local server that speaks OpenAI's chat completions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from providers.errors import (
    EmptyAnswer,
    ProviderUnavailable,
    RequestRefused,
)
from providers.llm.base import CompletionRequest
from providers.llm.openai import OpenAIProvider
from tests.unit.providers.llm.conftest import SCHEMA
from tests.vendor_servers.openai_server import OpenAIServer

Make = Callable[..., OpenAIProvider]
ADD = {"operations": [{"op": "add", "content": "lives in Porto"}]}


def test_the_answer_comes_with_its_tokens_model_and_time(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 100,
        "total_tokens": 1000,
        "prompt_tokens_details": {"cached_tokens": 500},
        "completion_tokens_details": {"reasoning_tokens": 60},
    }
    openai_server.push({"text": '{"operations": []}', "usage": usage, "model": "some-model-2", "delay": 0.01})

    completion = openai(model="some-model").complete(question)

    assert completion.text == '{"operations": []}'
    assert (completion.prompt_tokens, completion.output_tokens, completion.cached_tokens) == (900, 100, 500)
    assert (completion.provider, completion.model) == ("openai", "some-model-2")
    assert completion.cost is None


def test_everything_asked_for_is_sent_in_openais_words(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    provider = openai(temperature=0.2, extra={"reasoning_effort": "low"})

    provider.complete(replace(question, model="m", max_output_tokens=512))

    [seen] = openai_server.requests
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer secret-key"
    assert seen.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You keep notes."},
            {"role": "user", "content": "[1] Ana: I moved to Porto."},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": False},
        },
        "max_tokens": 512,
        "temperature": 0.2,
        "reasoning_effort": "low",
    }


def test_plain_text_is_asked_without_json_mode_and_kept_as_it_is(
    openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push({"text": "Hello! ```json\n{}\n```"})

    completion = openai().complete(CompletionRequest(system="", prompt="Say hello", schema=None))

    assert completion.text == "Hello! ```json\n{}\n```"
    assert "response_format" not in openai_server.requests[0].body
    assert [message["role"] for message in openai_server.requests[0].body["messages"]] == ["user"]


def test_a_repair_round_follows_the_prompt(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai().complete(replace(question, history=(("assistant", "oops"), ("user", "That is no JSON."))))

    messages = openai_server.requests[0].body["messages"]
    assert [(message["role"], message["content"]) for message in messages[1:]] == [
        ("user", "[1] Ana: I moved to Porto."),
        ("assistant", "oops"),
        ("user", "That is no JSON."),
    ]


SHAPES: dict[str, tuple[dict[str, Any], str]] = {
    "in reasoning_content": ({"json": ADD, "answer_in": "reasoning_content"}, '{"operations": [{"op": '),
    "in reasoning": ({"json": ADD, "answer_in": "reasoning"}, '{"operations": [{"op": '),
    "fenced in reasoning": (
        {"json": ADD, "answer_in": "reasoning", "fenced": True},
        '{"operations": [{"op": ',
    ),
}


@pytest.mark.parametrize(("item", "start"), SHAPES.values(), ids=SHAPES)
def test_json_is_extracted_and_other_text_is_returned_unchanged(
    item: dict[str, Any], start: str, openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push(item)

    assert openai().complete(question).text.startswith(start)


def test_thoughts_are_not_an_answer_if_plain_text_was_asked_for(
    openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push({"text": "What might they want?", "answer_in": "reasoning_content"})

    with pytest.raises(EmptyAnswer):
        openai().complete(CompletionRequest(system="", prompt="Say hello", schema=None))


def test_an_answer_in_parts_is_joined(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push(
        {"raw": '{"choices": [{"message": {"content": [{"text": "{\\"operations\\": []}"}]}}]}'}
    )

    completion = openai().complete(question)

    assert completion.text == '{"operations": []}'
    assert (completion.prompt_tokens, completion.output_tokens, completion.cost) == (None, None, None)


def test_an_error_that_is_only_a_string_is_quoted(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({"status": 503, "raw": '{"error": "Loading model"}'})

    with pytest.raises(ProviderUnavailable, match="503: Loading model"):
        openai().complete(question)


def test_a_server_of_ones_own_needs_no_key(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key that nobody configured")

    assert openai(api_key="").complete(question).text == '{"operations": []}'
    assert openai_server.requests[0].headers["authorization"] == "Bearer none"


def test_text_that_cannot_be_sent_is_refused(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    with pytest.raises(RequestRefused, match="lone surrogate"):
        openai().complete(replace(question, prompt="broken \ud83d text"))

    assert openai_server.asked == 0
