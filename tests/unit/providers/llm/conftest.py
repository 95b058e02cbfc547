"""Providers of the real SDKs, pointed at the local servers and closed after the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

import pytest

from providers.llm.base import CompletionRequest, LLMProvider, ToolSpec
from providers.llm.gemini import GeminiProvider
from providers.llm.openai import OpenAIProvider
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"operations": {"type": "array", "items": {"type": "object"}}},
    "required": ["operations"],
    "additionalProperties": False,
}


TOOL = ToolSpec(
    name="record_facts",
    description="Note down what the person said.",
    parameters={
        "type": "object",
        "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
        "required": ["facts"],
        "additionalProperties": False,
    },
)


@pytest.fixture
def question() -> CompletionRequest:
    return CompletionRequest(system="You keep notes.", prompt="[1] Ana: I moved to Porto.", schema=SCHEMA)


@pytest.fixture
def call_question(question: CompletionRequest) -> CompletionRequest:
    """A question that must be answered by calling `TOOL`."""
    return replace(question, schema=None, tool=TOOL)


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


@dataclass(frozen=True)
class Vendor:
    """A real SDK: how to make its provider, and the server that it calls."""

    name: str
    make: Callable[..., LLMProvider]
    server: GeminiServer | OpenAIServer


@pytest.fixture
def vendors(
    gemini: Callable[..., GeminiProvider],
    gemini_server: GeminiServer,
    openai: Callable[..., OpenAIProvider],
    openai_server: OpenAIServer,
) -> dict[str, Vendor]:
    return {
        "gemini": Vendor("gemini", gemini, gemini_server),
        "openai": Vendor("openai", openai, openai_server),
    }


@pytest.fixture(params=["gemini", "openai"])
def vendor(request: pytest.FixtureRequest, vendors: dict[str, Vendor]) -> Vendor:
    """Each of them in turn."""
    return vendors[request.param]
