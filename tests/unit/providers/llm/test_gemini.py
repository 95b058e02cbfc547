"""The real google-genai SDK over real HTTP against a local server that speaks Gemini's protocol."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from providers.errors import ExternalRefused, ProviderMisconfigured, Unauthorized
from providers.llm.base import CompletionRequest
from providers.llm.gemini import GeminiProvider
from tests.unit.providers.llm.conftest import SCHEMA
from tests.vendor_servers.gemini_server import GeminiServer

Make = Callable[..., GeminiProvider]
ADD = {"operations": [{"op": "add", "content": "lives in Porto"}]}


def test_the_answer_comes_with_its_tokens_model_and_time(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    usage = {
        "promptTokenCount": 900,
        "candidatesTokenCount": 40,
        "thoughtsTokenCount": 60,
        "cachedContentTokenCount": 500,
    }
    gemini_server.push(
        {"text": '{"operations": []}', "usage": usage, "model": "gemini-9-flash", "delay": 0.01}
    )

    completion = gemini().complete(question)

    assert completion.text == '{"operations": []}'
    assert (completion.prompt_tokens, completion.output_tokens, completion.cached_tokens) == (900, 100, 500)
    assert (completion.provider, completion.model) == ("gemini", "gemini-9-flash")
    assert completion.milliseconds >= 10
    assert completion.finish_reason == "stop"
    assert completion.request_id == "local-1"
    assert completion.cost is None


def test_everything_asked_for_is_sent_in_geminis_words(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    provider = gemini(temperature=0.9, extra={"seed": 7})

    provider.complete(replace(question, model="gemini-x", max_output_tokens=512, temperature=0.2))

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


def test_plain_text_is_asked_without_json_mode_and_kept_as_it_is(
    gemini: Make, gemini_server: GeminiServer
) -> None:
    gemini_server.push({"text": "Hello! ```json\n{}\n```"})

    completion = gemini().complete(CompletionRequest(system="", prompt="Say hello", schema=None))

    assert completion.text == "Hello! ```json\n{}\n```"
    assert "systemInstruction" not in gemini_server.requests[0].body
    assert "responseMimeType" not in gemini_server.requests[0].body.get("generationConfig", {})


def test_a_repair_round_follows_the_prompt(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    gemini().complete(replace(question, history=(("assistant", "oops"), ("user", "That is no JSON."))))

    contents = gemini_server.requests[0].body["contents"]
    assert [(content["role"], content["parts"][0]["text"]) for content in contents] == [
        ("user", "[1] Ana: I moved to Porto."),
        ("model", "oops"),
        ("user", "That is no JSON."),
    ]


SHAPES: list[tuple[dict[str, Any], str]] = [
    ({"text": '{"operations": []}', "fenced": True}, '{"operations": []}'),
    ({"text": '{"operations": []}', "think": "Is there anything? {no}"}, '{"operations": []}'),
    ({"text": '{"operations": [}'}, '{"operations": [}'),
    ({"text": "I have nothing to note."}, "I have nothing to note."),
]


@pytest.mark.parametrize(("item", "text"), SHAPES, ids=["fenced", "thought part", "malformed", "prose"])
def test_the_json_is_unwrapped_and_what_is_none_is_left_for_the_asker(
    item: dict[str, Any], text: str, gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    gemini_server.push(item)

    assert gemini().complete(question).text == text


def test_a_call_costs_what_the_operator_said(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 200, "cachedContentTokenCount": 400}
    gemini_server.push({"usage": usage})

    completion = gemini(prices={"gemini-flash*": ("0.50", "3.00", "0.05")}).complete(question)

    assert completion.cost == Decimal("0.00092")  # 600 x 0.50 + 400 x 0.05 + 200 x 3.00, by the million


def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    with GeminiServer() as elsewhere:
        gemini_server.push({"redirect": f"{elsewhere.url}/v1beta/models/m:generateContent"})

        with pytest.raises(ProviderMisconfigured):
            gemini().complete(question)

        assert elsewhere.asked == 0


def test_without_a_key_nothing_is_asked(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "a key that nobody configured")

    with pytest.raises(Unauthorized, match="GEMINI_API_KEY"):
        gemini(api_key="").complete(question)

    assert gemini_server.asked == 0


def test_a_wrong_key_is_named_but_never_shown(question: CompletionRequest) -> None:
    with GeminiServer(key="right-key") as server:
        server.push({"status": 401, "message": "The key wrong-key is not known."})
        provider = GeminiProvider(alias="gemini", options={"api_key": "wrong-key", "base_url": server.url})

        with pytest.raises(Unauthorized) as failure:
            provider.complete(question)
        provider.close()

    assert "wrong-key" not in str(failure.value) + repr(provider.options) + str(provider.describe())


def test_the_environment_cannot_turn_it_into_another_service(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v1")

    gemini().complete(question)

    assert gemini_server.requests[0].path.startswith("/v1beta/models/gemini-flash-latest")


def test_a_proxy_in_the_environment_is_not_asked_for_this_machine(
    gemini: Make, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    assert gemini().complete(question).text == '{"operations": []}'


def test_no_test_reaches_google(gemini: Make, question: CompletionRequest) -> None:
    provider = gemini(base_url="")

    with pytest.raises(ExternalRefused, match=r"generativelanguage\.googleapis\.com is not this machine"):
        provider.complete(question)


def test_request_fields_that_gemini_does_not_have_are_refused_at_once(gemini: Make) -> None:
    with pytest.raises(ProviderMisconfigured, match="extra"):
        gemini(extra={"thinking": "hard"})


def test_it_describes_itself_without_its_key(gemini: Make, gemini_server: GeminiServer) -> None:
    assert gemini().describe() == {
        "alias": "gemini",
        "kind": "gemini",
        "model": "gemini-flash-latest",
        "host": gemini_server.url.removeprefix("http://"),
    }


def test_many_threads_ask_through_one_provider(
    gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    provider = gemini()
    gemini_server.respond = lambda body: {"text": body["contents"][0]["parts"][0]["text"]}
    prompts = [f'{{"number": {number}}}' for number in range(32)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: provider.complete(replace(question, prompt=text)).text, prompts))

    assert answers == prompts
