"""Providers of the real SDKs, pointed at the local servers and closed after the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from memory.providers.base import CompletionRequest
from memory.providers.gemini import GeminiProvider
from memory.providers.openai import OpenAIProvider
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"operations": {"type": "array", "items": {"type": "object"}}},
    "required": ["operations"],
    "additionalProperties": False,
}


@pytest.fixture
def question() -> CompletionRequest:
    return CompletionRequest(system="You keep notes.", prompt="[1] Ana: I moved to Porto.", schema=SCHEMA)


@pytest.fixture
def gemini(gemini_server: GeminiServer) -> Iterator[Callable[..., GeminiProvider]]:
    """Makes a provider that asks `gemini_server`; keyword arguments are its options."""
    with ExitStack() as stack:

        def make(**options: Any) -> GeminiProvider:
            given = {"api_key": "secret-key", "base_url": gemini_server.url, "timeout": 5, **options}
            return stack.enter_context(closing(GeminiProvider(alias="gemini", options=given)))

        yield make


@pytest.fixture
def openai(openai_server: OpenAIServer) -> Iterator[Callable[..., OpenAIProvider]]:
    """Makes a provider that asks `openai_server`; keyword arguments are its options."""
    with ExitStack() as stack:

        def make(**options: Any) -> OpenAIProvider:
            given = {"api_key": "secret-key", "base_url": openai_server.url, "timeout": 5, **options}
            return stack.enter_context(closing(OpenAIProvider(alias="openai", options=given)))

        yield make
