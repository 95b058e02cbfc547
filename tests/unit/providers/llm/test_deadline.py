"""A call ends with its deadline, also where the server is never silent."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from providers.errors import ProviderTimeout, ProviderUnavailable
from providers.llm.base import CompletionRequest, LLMProvider
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer
from web.deadline import LARGEST_ANSWER, bind, deadline, is_over

Make = Callable[..., LLMProvider]
DRIPS = {
    "the body": {"drip": 0.02},
    "the head": {"drip": 0.02, "drip_head": True},
}
ANSWER: dict[str, Any] = {"json": {"operations": []}}


@pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS)
def test_a_server_that_sends_byte_by_byte_is_given_up_at_the_deadline(
    drip: dict[str, Any], openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({**ANSWER, **drip})

    with pytest.raises(ProviderTimeout, match=r"had not finished its answer after 0\.3 seconds") as failure:
        openai(timeout=5, deadline=0.3).complete(question)

    assert (failure.value.code, failure.value.permanent, openai_server.asked) == ("timeout", False, 1)


@pytest.mark.parametrize("drip", DRIPS.values(), ids=DRIPS)
def test_so_is_gemini(
    drip: dict[str, Any], gemini: Make, gemini_server: GeminiServer, question: CompletionRequest
) -> None:
    gemini_server.push({**ANSWER, **drip})

    with pytest.raises(ProviderTimeout, match=r"had not finished its answer after 0\.3 seconds"):
        gemini(timeout=5, deadline=0.3).complete(question)

    assert gemini_server.asked == 1


def test_the_next_call_has_all_its_time_again(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({**ANSWER, "drip": 0.02}, ANSWER)
    provider = openai(timeout=5, deadline=0.3)
    with pytest.raises(ProviderTimeout):
        provider.complete(question)

    assert provider.complete(question).text


def test_without_a_number_of_its_own_a_call_may_take_twice_the_silence(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({**ANSWER, "drip": 0.02})

    with pytest.raises(ProviderTimeout, match=r"had not finished its answer after 0\.4 seconds"):
        openai(timeout=0.2).complete(question)


def test_an_answer_that_is_longer_than_any_that_is_meant_is_given_up(
    openai: Make, openai_server: OpenAIServer, question: CompletionRequest
) -> None:
    openai_server.push({"text": "x" * LARGEST_ANSWER})

    with pytest.raises(ProviderUnavailable, match="longer than 32000000 bytes"):
        openai(timeout=30).complete(question)


def test_outside_of_a_deadline_nothing_is_over(openai_server: OpenAIServer) -> None:
    with httpx2.Client(trust_env=False) as client:
        bind(client)

        assert client.post(f"{openai_server.url}/nowhere", json={}).status_code == 404
    assert not is_over()


def test_a_silence_that_may_be_longer_ends_with_the_deadline(openai_server: OpenAIServer) -> None:
    openai_server.latency = 3
    with httpx2.Client(trust_env=False, timeout=30) as client, deadline(0.2):
        bind(client)

        with pytest.raises(httpx2.ReadTimeout):
            client.post(f"{openai_server.url}/chat/completions", json={"messages": []})
    assert openai_server.asked == 1


def test_a_call_that_is_over_does_not_begin(openai_server: OpenAIServer) -> None:
    with httpx2.Client(trust_env=False) as client, deadline(0.0):
        bind(client)

        with pytest.raises(httpx2.TimeoutException):
            client.post(openai_server.url, json={})
        assert is_over()


def test_the_deadline_holds_through_a_proxy_of_the_environment_too(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, openai_server.url.removesuffix("/v1"))
    with httpx2.Client(trust_env=True) as client, deadline(0.0):
        bind(client)

        with pytest.raises(httpx2.TimeoutException):
            client.post("http://model.example/v1/chat/completions", json={})
