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


SHAPES: list[dict[str, Any]] = [
    {"answer_in": "reasoning_content"},
    {"answer_in": "reasoning"},
    {"answer_in": "reasoning", "fenced": True},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_json_is_found_among_the_thoughts(
    shape: dict[str, Any], openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({"json": ADD, **shape})

    assert openai().complete(question).text.startswith('{"operations": [{"op": ')


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
