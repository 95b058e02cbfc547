"""The real openai SDK over real HTTP against a local server that speaks OpenAI's chat completions."""

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from memory.providers.base import CompletionRequest
from memory.providers.errors import (
    AnswerTruncated,
    ContentBlocked,
    EmptyAnswer,
    ExternalRefused,
    ModelNotFound,
    ProviderError,
    ProviderMisconfigured,
    ProviderTimeout,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
    RequestRefused,
    Unauthorized,
)
from memory.providers.openai import OpenAIProvider
from tests.unit.memory.providers.conftest import SCHEMA
from tests.vendor_servers.openai_server import OpenAIServer
from tests.vendor_servers.script import Item

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
    assert completion.milliseconds >= 10
    assert completion.finish_reason == "stop"
    assert completion.request_id == "local-request-1"
    assert completion.cost is None


def test_everything_asked_for_is_sent_in_openais_words(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    provider = openai(temperature=0.9, extra={"reasoning_effort": "low"})

    provider.complete(replace(question, model="m", max_output_tokens=512, temperature=0.2))

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


FAILURES: list[tuple[dict[str, Any], type[ProviderError]]] = [
    ({"status": 400}, RequestRefused),
    ({"status": 400, "code": "content_filter"}, ContentBlocked),
    ({"status": 401}, Unauthorized),
    ({"status": 402}, QuotaExhausted),
    ({"status": 403}, Unauthorized),
    ({"status": 404}, ModelNotFound),
    ({"status": 403, "raw": '{"error": {"metadata": {"flagged_input": "..."}}}'}, ContentBlocked),
    ({"status": 413}, RequestRefused),
    ({"status": 422}, RequestRefused),
    ({"status": 429}, RateLimited),
    ({"status": 429, "code": "insufficient_quota"}, QuotaExhausted),
    ({"status": 500}, ProviderUnavailable),
    ({"status": 503}, ProviderUnavailable),
    ({"status": 504}, ProviderTimeout),
    ({"redirect": "http://127.0.0.1:9/elsewhere"}, ProviderMisconfigured),
    ({"drop": True}, ProviderUnavailable),
    ({"drop": "body"}, ProviderUnavailable),
    ({"drop": "reset"}, ProviderUnavailable),
    ({"raw": "<html>It works!</html>", "content_type": "text/html"}, ProviderUnavailable),
    ({"raw": '{"choices": [{"message'}, ProviderUnavailable),
    ({"raw": "[]"}, ProviderUnavailable),
    ({"raw": '{"choices": null}'}, EmptyAnswer),
    ({"raw": '{"error": {"message": "upstream is down", "code": 502}}'}, ProviderUnavailable),
]


@pytest.mark.parametrize(("item", "expected"), FAILURES, ids=[str(item) for item, _ in FAILURES])
def test_a_failure_has_its_class_and_the_sdk_does_not_ask_again(
    item: dict[str, Any],
    expected: type[ProviderError],
    openai: Make,
    openai_server: OpenAIServer,
    question: CompletionRequest,
) -> None:
    openai_server.push(item)

    with pytest.raises(ProviderError) as failure:
        openai().complete(question)

    assert type(failure.value) is expected
    assert failure.value.status == item.get("status", 307 if "redirect" in item else None)
    assert openai_server.asked == 1


WAITS: list[tuple[dict[str, Any], float | None]] = [
    ({"status": 429, "retry_after": 7}, 7.0),
    ({"status": 429, "retry_after": "0.5"}, 0.5),
    ({"status": 503, "retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ({"status": 429}, None),
    ({"status": 401}, 60.0),
]


@pytest.mark.parametrize(("item", "seconds"), WAITS, ids=[str(item) for item, _ in WAITS])
def test_the_wait_that_the_server_asks_for_is_kept(
    item: dict[str, Any],
    seconds: float | None,
    openai: Make,
    openai_server: OpenAIServer,
    question: CompletionRequest,
) -> None:
    openai_server.push(item)

    with pytest.raises(ProviderError) as failure:
        openai().complete(question)

    assert failure.value.retry_after == seconds


def test_silence_is_a_timeout(openai: Make, openai_server: OpenAIServer, question: CompletionRequest) -> None:
    openai_server.push({"json": ADD, "delay": 5})

    with pytest.raises(ProviderTimeout, match=r"silent for 0\.1 seconds"):
        openai(timeout=0.1).complete(question)

    assert openai_server.asked == 1


def test_a_server_that_is_not_there_is_unavailable(openai: Make, question: CompletionRequest) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        provider = openai(base_url=f"http://127.0.0.1:{free.getsockname()[1]}/v1")

        with pytest.raises(ProviderUnavailable, match="could not be reached"):
            provider.complete(question)


UNUSABLE: list[tuple[dict[str, Any], type[ProviderError], str]] = [
    ({"refusal": "I can't help with that."}, ContentBlocked, "blocked"),
    ({"finish": "content_filter", "text": ""}, ContentBlocked, "blocked"),
    ({"json": ADD, "truncate": 20}, AnswerTruncated, "length"),
    ({"text": "", "finish": "length", "think": "so long that"}, AnswerTruncated, "length"),
    ({"empty": True}, EmptyAnswer, "none"),
    ({"text": " \n"}, EmptyAnswer, "stop"),
    ({"text": "", "think": "nothing to say"}, EmptyAnswer, "stop"),
]


@pytest.mark.parametrize(("item", "expected", "finish"), UNUSABLE, ids=[str(item) for item, _, _ in UNUSABLE])
def test_an_answer_that_cannot_be_used_says_why_and_what_it_took(
    item: dict[str, Any],
    expected: type[ProviderError],
    finish: str,
    openai: Make,
    openai_server: OpenAIServer,
    question: CompletionRequest,
) -> None:
    openai_server.push(item)

    with pytest.raises(ProviderError) as failure:
        openai(prices={"gpt*": (1, 1)}).complete(question)

    assert type(failure.value) is expected
    paid = failure.value.completion
    assert paid is not None
    assert paid.finish_reason == finish
    assert paid.cost


SHAPES: dict[str, tuple[dict[str, Any], str]] = {
    "fenced": ({"text": '{"operations": []}', "fenced": True}, '{"operations": []}'),
    "thoughts before": ({"text": '{"operations": []}', "think": "Hm, {maybe}?"}, '{"operations": []}'),
    "in reasoning_content": ({"json": ADD, "answer_in": "reasoning_content"}, '{"operations": [{"op": '),
    "in reasoning": ({"json": ADD, "answer_in": "reasoning"}, '{"operations": [{"op": '),
    "fenced in reasoning": (
        {"json": ADD, "answer_in": "reasoning", "fenced": True},
        '{"operations": [{"op": ',
    ),
    "malformed": ({"text": '{"operations": [}'}, '{"operations": [}'),
    "prose": ({"text": "I have nothing to note."}, "I have nothing to note."),
}


@pytest.mark.parametrize(("item", "start"), SHAPES.values(), ids=SHAPES)
def test_the_json_is_found_and_what_is_none_is_left_for_the_asker(
    item: dict[str, Any], start: str, openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push(item)

    assert openai().complete(question).text.startswith(start)


def test_thoughts_are_no_answer_where_plain_text_was_asked(openai: Make, openai_server: OpenAIServer) -> None:
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


def test_an_error_that_is_only_a_string_is_quoted(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({"status": 503, "raw": '{"error": "Loading model"}'})

    with pytest.raises(ProviderUnavailable, match="503: Loading model"):
        openai().complete(question)


def test_a_call_costs_what_the_operator_said(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({"usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}})

    completion = openai(model="mine", prices={"mine": (1, 2)}).complete(question)

    assert completion.cost == Decimal("0.0014")


def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    with OpenAIServer() as elsewhere:
        openai_server.push({"redirect": f"{elsewhere.url}/chat/completions"})

        with pytest.raises(ProviderMisconfigured):
            openai().complete(question)

        assert elsewhere.asked == 0


def test_a_server_of_ones_own_needs_no_key(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key that nobody configured")

    assert openai(api_key="").complete(question).text == '{"operations": []}'
    assert openai_server.requests[0].headers["authorization"] == "Bearer none"


def test_a_wrong_key_is_named_but_never_shown(question: CompletionRequest) -> None:
    with OpenAIServer(key="right-key") as server:
        server.push({"status": 401, "message": "The key wrong-key is not known."})
        provider = OpenAIProvider(alias="openai", options={"api_key": "wrong-key", "base_url": server.url})

        with pytest.raises(Unauthorized) as failure:
            provider.complete(question)
        provider.close()

    assert "wrong-key" not in str(failure.value) + repr(provider.options) + str(provider.describe())


def test_a_proxy_in_the_environment_is_not_asked_for_this_machine(
    openai: Make, question: CompletionRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    assert openai().complete(question).text == '{"operations": []}'


def test_no_test_reaches_openai(openai: Make, question: CompletionRequest) -> None:
    provider = openai(base_url="")

    with pytest.raises(ExternalRefused, match=r"api\.openai\.com is not this machine"):
        provider.complete(question)


def test_text_that_cannot_be_sent_is_refused(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    with pytest.raises(RequestRefused, match="lone surrogate"):
        openai().complete(replace(question, prompt="broken \ud83d text"))

    assert openai_server.asked == 0


def test_many_threads_ask_through_one_provider(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    provider = openai()
    openai_server.respond = lambda body: {"text": body["messages"][-1]["content"]}
    prompts = [f'{{"number": {number}}}' for number in range(32)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda text: provider.complete(replace(question, prompt=text)).text, prompts))

    assert answers == prompts
