"""What Gemini can do wrong, over real HTTP: each failure has its class, its wait and its words."""

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
    RateLimited,
    RequestRefused,
    Unauthorized,
)
from providers.llm.base import CompletionRequest
from providers.llm.gemini import GeminiProvider
from tests.vendor_servers.gemini_server import GeminiServer

Make = Callable[..., GeminiProvider]
ADD = {"operations": [{"op": "add", "content": "lives in Porto"}]}


FAILURES: list[tuple[dict[str, Any], type[ProviderError]]] = [
    ({"status": 400}, RequestRefused),
    ({"status": 400, "message": "API key not valid.", "reason": "API_KEY_INVALID"}, Unauthorized),
    ({"status": 400, "code": "FAILED_PRECONDITION"}, ProviderMisconfigured),
    ({"status": 401}, Unauthorized),
    ({"status": 403}, Unauthorized),
    ({"status": 404}, ModelNotFound),
    ({"status": 413}, RequestRefused),
    ({"status": 429}, RateLimited),
    ({"status": 500}, ProviderUnavailable),
    ({"status": 503}, ProviderUnavailable),
    ({"status": 504}, ProviderTimeout),
    ({"redirect": "http://127.0.0.1:9/elsewhere"}, ProviderMisconfigured),
    ({"drop": True}, ProviderUnavailable),
    ({"drop": "body"}, ProviderUnavailable),
    ({"drop": "reset"}, ProviderUnavailable),
    ({"raw": "<html>It works!</html>", "content_type": "text/html"}, ProviderUnavailable),
    ({"raw": '{"candidates": [{"content'}, ProviderUnavailable),
    ({"raw": "[]"}, EmptyAnswer),
    ({"raw": '{"candidates": "none"}'}, EmptyAnswer),
    ({"raw": ""}, EmptyAnswer),
]


@pytest.mark.parametrize(("item", "expected"), FAILURES, ids=[str(item) for item, _ in FAILURES])
def test_a_failure_has_its_class_and_the_sdk_does_not_ask_again(
    item: dict[str, Any],
    expected: type[ProviderError],
    gemini: Make,
    gemini_server: GeminiServer,
    question: CompletionRequest,
) -> None:
    gemini_server.push(item)

    with pytest.raises(ProviderError) as failure:
        gemini().complete(question)

    assert type(failure.value) is expected
    assert failure.value.status == item.get("status", 307 if "redirect" in item else None)
    assert gemini_server.asked == 1


WAITS: list[tuple[dict[str, Any], float | None]] = [
    ({"status": 429, "retry_after": 7}, 7.0),
    ({"status": 429, "retry_delay": "3.5s"}, 3.5),
    ({"status": 429, "retry_delay": "3.5s", "retry_after": 7}, 3.5),
    ({"status": 503, "retry_after": 2}, 2.0),
    ({"status": 429}, None),
    ({"status": 429, "retry_after": "soon"}, None),
    ({"status": 401}, 60.0),
]


@pytest.mark.parametrize(("item", "seconds"), WAITS, ids=[str(item) for item, _ in WAITS])
def test_the_wait_that_the_vendor_asks_for_is_kept(
    item: dict[str, Any],
    seconds: float | None,
    gemini: Make,
    gemini_server: GeminiServer,
    question: CompletionRequest,
) -> None:
    gemini_server.push(item)

    with pytest.raises(ProviderError) as failure:
        gemini().complete(question)

    assert failure.value.retry_after == seconds


def test_silence_is_a_timeout(gemini: Make, gemini_server: GeminiServer, question: CompletionRequest) -> None:
    gemini_server.push({"json": ADD, "delay": 5})

    with pytest.raises(ProviderTimeout, match=r"silent for 0\.1 seconds"):
        gemini(timeout=0.1, deadline=60).complete(question)

    assert gemini_server.asked == 1


def test_a_server_that_is_not_there_is_unavailable(gemini: Make, question: CompletionRequest) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        provider = gemini(base_url=f"http://127.0.0.1:{free.getsockname()[1]}")

        with pytest.raises(ProviderUnavailable, match="could not be reached"):
            provider.complete(question)


UNUSABLE: list[tuple[dict[str, Any], type[ProviderError], str]] = [
    ({"blocked": "PROHIBITED_CONTENT"}, ContentBlocked, "blocked"),
    ({"finish": "SAFETY"}, ContentBlocked, "blocked"),
    ({"finish": "RECITATION"}, ContentBlocked, "blocked"),
    ({"json": ADD, "truncate": 20}, AnswerTruncated, "length"),
    ({"empty": True}, EmptyAnswer, "none"),
    ({"text": " \n"}, EmptyAnswer, "stop"),
    ({"finish": "MALFORMED_RESPONSE"}, EmptyAnswer, "malformed_response"),
]


@pytest.mark.parametrize(("item", "expected", "finish"), UNUSABLE, ids=[str(item) for item, _, _ in UNUSABLE])
def test_an_answer_that_cannot_be_used_says_why_and_what_it_took(
    item: dict[str, Any],
    expected: type[ProviderError],
    finish: str,
    gemini: Make,
    gemini_server: GeminiServer,
    question: CompletionRequest,
) -> None:
    gemini_server.push(item)

    with pytest.raises(ProviderError) as failure:
        gemini(prices={"gemini-flash*": (1, 1)}).complete(question)

    assert type(failure.value) is expected
    paid = failure.value.completion
    assert paid is not None
    assert paid.finish_reason == finish
    assert paid.prompt_tokens
    assert paid.cost
