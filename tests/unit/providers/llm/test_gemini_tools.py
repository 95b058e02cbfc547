"""A model of Gemini's that is made to call a function, over real HTTP."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from providers.errors import AnswerTruncated, EmptyAnswer
from providers.llm.base import CompletionRequest
from providers.llm.gemini import GeminiProvider
from tests.unit.providers.llm.conftest import TOOL
from tests.vendor_servers.gemini_server import GeminiServer

Make = Callable[..., GeminiProvider]


def test_the_model_is_made_to_call_the_function_and_its_arguments_are_the_answer(
    gemini: Make, gemini_server: GeminiServer, call_question: CompletionRequest
) -> None:
    gemini_server.push({"json": {"facts": ["lives in Évora"]}})

    completion = gemini(temperature=0.1).complete(call_question)

    assert completion.text == '{"facts": ["lives in Évora"]}'
    assert completion.finish_reason == "stop"
    body = gemini_server.requests[0].body
    assert body["tools"] == [
        {
            "functionDeclarations": [
                {
                    "name": TOOL.name,
                    "description": TOOL.description,
                    "parameters_json_schema": TOOL.parameters,
                }
            ]
        }
    ]
    assert body["toolConfig"]["functionCallingConfig"] == {
        "mode": "ANY",
        "allowedFunctionNames": [TOOL.name],
    }
    assert body["generationConfig"] == {"temperature": 0.1}


def test_a_repair_round_follows_the_prompt_and_calls_again(
    gemini: Make, gemini_server: GeminiServer, call_question: CompletionRequest
) -> None:
    gemini().complete(replace(call_question, history=(("assistant", "oops"), ("user", "Call it."))))

    body = gemini_server.requests[0].body
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
    assert body["toolConfig"]["functionCallingConfig"]["mode"] == "ANY"


SHAPES: dict[str, tuple[dict[str, Any], str]] = {
    "two calls are one": ({"calls": [{"facts": ["a"]}, {"facts": ["b"]}]}, '{"facts": ["a", "b"]}'),
    "a call with nothing": ({"calls": [{}]}, "{}"),
    "arguments that are no JSON": ({"calls": ["record_facts(facts=["]}, "MALFORMED_FUNCTION_CALL"),
    "words instead of a call": ({"text": "I noted it down."}, "I noted it down."),
    "JSON instead of a call": ({"text": '{"facts": []}', "fenced": True}, '{"facts": []}'),
    "thoughts before the call": ({"json": {"facts": []}, "think": "What is new?"}, '{"facts": []}'),
}


@pytest.mark.parametrize(("item", "text"), SHAPES.values(), ids=SHAPES)
def test_what_it_answers_instead_is_handed_up(
    item: dict[str, Any],
    text: str,
    gemini: Make,
    gemini_server: GeminiServer,
    call_question: CompletionRequest,
) -> None:
    gemini_server.push(item)

    assert gemini().complete(call_question).text == text


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({"calls": ['{"facts": ["a'], "truncate": 5}, AnswerTruncated),
        ({"empty": True}, EmptyAnswer),
        ({"text": ""}, EmptyAnswer),
    ],
    ids=str,
)
def test_an_answer_with_neither_a_call_nor_words_is_none(
    item: dict[str, Any],
    error: type[Exception],
    gemini: Make,
    gemini_server: GeminiServer,
    call_question: CompletionRequest,
) -> None:
    gemini_server.push(item)

    with pytest.raises(error):
        gemini().complete(call_question)
