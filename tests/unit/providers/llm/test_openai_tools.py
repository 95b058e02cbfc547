"""A model that is made to call a function, and servers that know less of that than OpenAI does, over real HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from providers.llm.base import CompletionRequest
from providers.llm.openai import OpenAIProvider
from tests.unit.providers.llm.conftest import TOOL
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.script import Item

Make = Callable[..., OpenAIProvider]


def test_the_model_is_made_to_call_the_function_and_its_arguments_are_the_answer(
    openai: Make, openai_server: OpenAIServer, call_question: CompletionRequest
) -> None:
    openai_server.push({"json": {"facts": ["lives in Évora"]}})

    completion = openai().complete(call_question)

    assert completion.text == '{"facts": ["lives in Évora"]}'
    body = openai_server.requests[0].body
    function = {"name": TOOL.name, "description": TOOL.description, "parameters": TOOL.parameters}
    assert body["tools"] == [{"type": "function", "function": {**function, "strict": True}}]
    assert body["tool_choice"] == {"type": "function", "function": {"name": TOOL.name}}
    assert "response_format" not in body
    assert body["messages"][0]["content"] == call_question.system


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"calls": [""]}, "{}"),
        ({"calls": ["facts=["]}, "facts=["),
        (
            {
                "raw": '{"choices": [{"message": {"tool_calls": [{"function": {"arguments": {"facts": []}}}]}}]}'
            },
            '{"facts": []}',
        ),
    ],
    ids=["nothing", "no JSON", "an object"],
)
def test_arguments_of_any_form_are_handed_up(
    item: dict[str, Any],
    text: str,
    openai: Make,
    openai_server: OpenAIServer,
    call_question: CompletionRequest,
) -> None:
    openai_server.push(item)

    assert openai().complete(call_question).text == text


LM_STUDIO = "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"
NO_TOOLS = "this model does not support tools"


def form_of(body: dict[str, Any]) -> str:
    """How a function is called for: `by_name`, `required`, or the kind of answer that is asked for in its stead."""
    choice = body.get("tool_choice")
    if choice is None:
        return str(body.get("response_format", {"type": "text"})["type"])
    return "by_name" if isinstance(choice, dict) else str(choice)


def only(form: str, *, status: int, refusal: str) -> Callable[[dict[str, Any]], Item]:
    """A server that knows only this form, and refuses the others: a function in these words."""

    def respond(body: dict[str, Any]) -> Item:
        if form_of(body) == form:
            return {"json": {"facts": [form]}}
        known = "tools" in body
        return {"status": status, "message": refusal if known else "Unknown response_format"}

    return respond


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(
    ("form", "refusal", "calls"),
    [
        ("by_name", NO_TOOLS, 1),
        ("required", LM_STUDIO, 2),
        ("json_schema", NO_TOOLS, 2),
        ("json_object", NO_TOOLS, 3),
        ("text", NO_TOOLS, 4),
        ("text", LM_STUDIO, 5),
    ],
)
def test_a_server_without_functions_is_asked_more_simply_and_remembered(
    form: str,
    refusal: str,
    calls: int,
    status: int,
    openai: Make,
    openai_server: OpenAIServer,
    call_question: CompletionRequest,
) -> None:
    openai_server.respond = only(form, status=status, refusal=refusal)
    provider = openai()

    first = provider.complete(call_question)
    second = provider.complete(call_question)

    assert first.text == second.text == f'{{"facts": ["{form}"]}}'
    assert openai_server.asked == calls + 1
    system = openai_server.requests[-1].body["messages"][0]["content"]
    assert (TOOL.description in system) == (form not in ("by_name", "required"))
    assert ("JSON Schema" in system) == (form in ("json_object", "text"))


def test_a_model_that_talks_instead_of_calling_is_asked_for_a_schema_the_next_time(
    openai: Make, openai_server: OpenAIServer, call_question: CompletionRequest
) -> None:
    provider = openai()
    openai_server.push({"text": "Sure, I will remember that!"})

    said = provider.complete(call_question).text
    mended = provider.complete(call_question).text

    assert (said, mended) == ("Sure, I will remember that!", '{"facts": []}')
    assert [form_of(seen.body) for seen in openai_server.requests] == ["by_name", "json_schema"]


def test_what_a_model_says_about_functions_leaves_other_questions_as_they_are(
    openai: Make,
    openai_server: OpenAIServer,
    question: CompletionRequest,
    call_question: CompletionRequest,
) -> None:
    openai_server.respond = only("json_schema", status=400, refusal=NO_TOOLS)
    provider = openai()

    provider.complete(call_question)
    provider.complete(question)

    system = openai_server.requests[-1].body["messages"][0]["content"]
    assert system == question.system
