"""What an OpenAI-compatible server can do wrong, over real HTTP: each failure has its class, its wait and its words."""

import socket
from collections.abc import Callable
from typing import Any

import pytest

from providers.errors import (
    AnswerTruncated,
    ContentBlocked,
    EmptyAnswer,
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
from providers.llm.base import CompletionRequest
from providers.llm.openai import OpenAIProvider
from tests.vendor_servers.openai_server import OpenAIServer

Make = Callable[..., OpenAIProvider]
ADD = {"operations": [{"op": "add", "content": "lives in Porto"}]}


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
        openai(timeout=0.1, deadline=60).complete(question)

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
