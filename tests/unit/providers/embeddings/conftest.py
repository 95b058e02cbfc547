"""Embedders of the real SDKs, pointed at the local servers and closed after the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest

from providers.embeddings.gemini import GeminiEmbedder
from providers.embeddings.openai import OpenAIEmbedder
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer


@pytest.fixture
def gemini(gemini_server: GeminiServer) -> Iterator[Callable[..., GeminiEmbedder]]:
    """Makes an embedder that asks `gemini_server`; keyword arguments are its options."""
    with ExitStack() as stack:

        def make(**options: Any) -> GeminiEmbedder:
            given = {"api_key": "secret-key", "base_url": gemini_server.url, "timeout": 5, **options}
            return stack.enter_context(closing(GeminiEmbedder(alias="gemini", options=given)))

        yield make


@pytest.fixture
def openai(openai_server: OpenAIServer) -> Iterator[Callable[..., OpenAIEmbedder]]:
    """Makes an embedder that asks `openai_server`; keyword arguments are its options."""
    with ExitStack() as stack:

        def make(**options: Any) -> OpenAIEmbedder:
            given = {"api_key": "secret-key", "base_url": openai_server.url, "timeout": 5, **options}
            return stack.enter_context(closing(OpenAIEmbedder(alias="openai", options=given)))

        yield make
