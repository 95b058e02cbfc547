"""The real google-genai SDK over real HTTP against a local server that speaks Gemini's protocol."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import pytest

from providers.errors import ProviderMisconfigured, Unauthorized
from providers.llm.base import CompletionRequest
from providers.llm.gemini import GeminiProvider
from tests.unit.providers.llm.conftest import SCHEMA, TOOL
from tests.vendor_servers.gemini_server import GeminiServer
from tests.waiting import wait_until

Make = Callable[..., GeminiProvider]


def test_everything_asked_for_is_sent_in_geminis_words(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    provider = gemini(temperature=0.2, extra={"seed": 7})

    provider.complete(replace(question, model="gemini-x", max_output_tokens=512))

    [seen] = gemini_server.requests
    assert seen.path == "/v1beta/models/gemini-x:generateContent"
    assert seen.headers["x-goog-api-key"] == "secret-key"
    assert seen.body["systemInstruction"]["parts"] == [{"text": "You keep notes."}]
    assert seen.body["contents"] == [{"role": "user", "parts": [{"text": "[1] Ana: I moved to Porto."}]}]
    assert seen.body["generationConfig"] == {
        "temperature": 0.2,
        "maxOutputTokens": 512,
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
        "seed": 7,
    }


def test_the_cost_follows_from_the_configured_prices(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 200, "cachedContentTokenCount": 400}
    gemini_server.push({"usage": usage})

    completion = gemini(prices={"gemini-flash*": ("0.50", "3.00", "0.05")}).complete(question)

    assert completion.cost == Decimal("0.00092")  # 600 x 0.50 + 400 x 0.05 + 200 x 3.00, by the million


def test_no_call_waits_for_the_connection_of_another(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    """RAPPORT_READERS may be up to 256."""
    provider, gemini_server.latency = gemini(), 60
    with ThreadPoolExecutor(110) as threads:
        for _ in range(110):
            threads.submit(provider.complete, question)

        wait_until(lambda: gemini_server.asked == 110, timeout=4, what="all calls to be under way")
        gemini_server.hang_up()


def test_without_a_key_nothing_is_asked(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "a key that nobody configured")

    with pytest.raises(Unauthorized, match="GEMINI_API_KEY"):
        gemini(api_key="").complete(question)

    assert gemini_server.asked == 0


def test_the_environment_cannot_turn_it_into_another_service(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v1")

    gemini().complete(question)

    assert gemini_server.requests[0].path.startswith("/v1beta/models/gemini-flash-latest")


def test_request_fields_that_gemini_does_not_have_are_refused_at_once(gemini: Make) -> None:
    with pytest.raises(ProviderMisconfigured, match="extra"):
        gemini(extra={"thinking": "hard"})


def test_the_model_is_made_to_call_the_function_and_its_arguments_are_the_answer(
    gemini: Make, gemini_server: GeminiServer, call_question: CompletionRequest
) -> None:
    gemini_server.push({"json": {"facts": ["lives in Évora"]}})

    completion = gemini(temperature=0.1).complete(call_question)

    assert completion.text == '{"facts": ["lives in Évora"]}'
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


def test_a_call_that_gemini_could_not_read_is_handed_up_by_its_name(
    gemini: Make, gemini_server: GeminiServer, call_question: CompletionRequest
) -> None:
    gemini_server.push({"calls": ["record_facts(facts=["]})

    assert gemini().complete(call_question).text == "MALFORMED_FUNCTION_CALL"
