"""Servers that know less than OpenAI does: asked in simpler forms, over real HTTP, and remembered."""

from collections.abc import Callable
from typing import Any

import pytest

from providers.errors import RequestRefused
from providers.llm.base import CompletionRequest
from providers.llm.openai import OpenAIProvider
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.script import Item

Make = Callable[..., OpenAIProvider]


def only(*kinds: str) -> Callable[[dict[str, Any]], Item]:
    """A server that knows only these kinds of response_format, and says so like LM Studio."""

    def respond(body: dict[str, Any]) -> Item:
        kind = body.get("response_format", {"type": "text"})["type"]
        if kind in kinds:
            return {"json": {"operations": [], "asked": kind}}
        return {"status": 400, "message": f"'response_format.type' must be one of {kinds}"}

    return respond


@pytest.mark.parametrize(
    ("kinds", "calls"), [(("json_schema",), 1), (("json_object",), 2), (("text",), 3)], ids=str
)
def test_a_server_without_a_json_schema_mode_is_asked_more_simply_and_remembered(
    kinds: tuple[str, ...],
    calls: int,
    openai: Make,
    openai_server: OpenAIServer,
    question: CompletionRequest,
) -> None:
    openai_server.respond = only(*kinds)
    provider = openai()

    first = provider.complete(question)
    second = provider.complete(question)

    assert f'"asked": "{kinds[0]}"' in first.text == second.text
    assert openai_server.asked == calls + 1
    system = openai_server.requests[-1].body["messages"][0]["content"]
    assert ("JSON Schema" in system) == (kinds != ("json_schema",))


def test_a_refusal_about_something_else_teaches_nothing(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    provider = openai()
    openai_server.push({"status": 400, "message": "this model's context is 8192 tokens"})

    with pytest.raises(RequestRefused):
        provider.complete(question)
    provider.complete(question)

    assert openai_server.requests[-1].body["response_format"]["type"] == "json_schema"


def test_a_server_that_refuses_every_form_is_believed(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({"status": 400, "message": "json_schema, or anything else: no", "always": True})

    with pytest.raises(RequestRefused):
        openai().complete(question)

    assert openai_server.asked == 3


def test_the_name_of_the_token_limit_and_the_temperature_are_learnt(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    limit = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    openai_server.push(
        {"status": 400, "message": limit, "param": "max_tokens"},
        {"status": 400, "message": "Only the default (1) is supported.", "param": "temperature"},
    )

    openai(max_output_tokens=100, temperature=0.3).complete(question)

    last = openai_server.requests[-1].body
    assert last["max_completion_tokens"] == 100
    assert "max_tokens" not in last
    assert "temperature" not in last
