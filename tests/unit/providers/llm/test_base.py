"""The interface itself, and that each provider keeps what it promises."""

from collections.abc import Callable
from typing import Any

import pytest

from providers.errors import ProviderError, RateLimited
from providers.llm.base import Completion, CompletionRequest, LLMProvider
from tests.fakes import ScriptedProvider
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer


@pytest.fixture(params=["scripted", "gemini", "openai"])
def provider(
    request: pytest.FixtureRequest,
    gemini: Callable[..., LLMProvider],
    openai: Callable[..., LLMProvider],
    gemini_server: GeminiServer,
    openai_server: OpenAIServer,
) -> LLMProvider:
    """Each provider, set to answer {"operations": []} and then to be rate limited."""
    items: tuple[dict[str, Any], ...] = ({"json": {"operations": []}}, {"status": 429, "retry_after": 3})
    gemini_server.push(*items)
    openai_server.push(*items)
    scripted = ScriptedProvider(alias="scripted")
    scripted.answer_with({"operations": []}, RateLimited(retry_after=3))
    made: dict[str, Callable[[], LLMProvider]] = {
        "scripted": lambda: scripted,
        "gemini": gemini,
        "openai": openai,
    }
    return made[request.param]()


def test_every_provider_answers_and_fails_alike(provider: LLMProvider, question: CompletionRequest) -> None:
    completion = provider.complete(question)

    assert isinstance(completion, Completion)
    assert completion.text == '{"operations": []}'
    assert completion.provider == provider.alias
    assert completion.model == provider.default_model
    with pytest.raises(ProviderError) as failure:
        provider.complete(question)
    assert (failure.value.code, failure.value.retry_after) == ("rate_limited", 3.0)
