"""The real google-genai SDK over real HTTP against a local server that speaks Gemini's batchEmbedContents."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from providers.embeddings.base import Space
from providers.embeddings.gemini import GeminiEmbedder
from providers.errors import (
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
    RateLimited,
    Unauthorized,
)
from tests.vendor_servers.gemini_server import GeminiServer

Make = Callable[..., GeminiEmbedder]


def test_each_text_has_its_own_vector_with_the_time_it_took(
    gemini: Make, gemini_server: GeminiServer
) -> None:
    gemini_server.push({"delay": 0.01})

    embedded = gemini().embed(["I live in Porto", "My cat likes fish", "I live in Porto"], purpose="document")

    assert embedded.vectors.shape == (3, 768)
    assert np.allclose(np.linalg.norm(embedded.vectors, axis=1), 1)
    assert np.array_equal(embedded.vectors[0], embedded.vectors[2])
    assert embedded.space == Space("gemini-embedding-2", 768)
    assert embedded.milliseconds >= 10


def test_every_text_is_its_own_content_with_its_purpose(gemini: Make, gemini_server: GeminiServer) -> None:
    embedder = gemini(dimensions=256)

    embedder.embed(["one", "two"], purpose="document")
    embedder.embed(["where?"], purpose="query")

    documents, query = gemini_server.requests
    assert documents.path == "/v1beta/models/gemini-embedding-2:batchEmbedContents"
    assert documents.headers["x-goog-api-key"] == "secret-key"
    model = {"model": "models/gemini-embedding-2", "outputDimensionality": 256}
    assert documents.body == {
        "requests": [
            {"content": {"parts": [{"text": "title: none | text: one"}]}, **model},
            {"content": {"parts": [{"text": "title: none | text: two"}]}, **model},
        ]
    }
    assert query.said == "task: search result | query: where?"


@pytest.mark.parametrize(
    ("purpose", "task"), [("query", "RETRIEVAL_QUERY"), ("document", "RETRIEVAL_DOCUMENT")]
)
def test_an_older_model_gets_the_purpose_in_a_field(
    purpose: Any, task: str, gemini: Make, gemini_server: GeminiServer
) -> None:
    gemini(model="gemini-embedding-001").embed(["hello"], purpose=purpose)

    [request] = gemini_server.requests[0].body["requests"]
    assert request["taskType"] == task
    assert request["content"] == {"parts": [{"text": "hello"}]}


def test_a_text_longer_than_the_model_reads_is_cut_at_its_end(
    gemini: Make, gemini_server: GeminiServer
) -> None:
    embedder = gemini(model="gemini-embedding-001")

    embedder.embed(["word " * 20_000, "short"], purpose="query")

    long, short = gemini_server.requests[0].body["requests"]
    assert len(long["content"]["parts"][0]["text"]) == embedder.most_tokens * 4
    assert short["content"]["parts"] == [{"text": "short"}]


FAILURES: list[tuple[dict[str, Any], type[ProviderError]]] = [
    ({"status": 400, "message": "API key not valid.", "reason": "API_KEY_INVALID"}, Unauthorized),
    ({"status": 429, "retry_delay": "3.5s"}, RateLimited),
    ({"status": 503}, ProviderUnavailable),
    ({"raw": "<html>It works!</html>", "content_type": "text/html"}, ProviderUnavailable),
]


@pytest.mark.parametrize(("item", "expected"), FAILURES, ids=[str(item) for item, _ in FAILURES])
def test_a_failure_has_its_class_and_the_sdk_does_not_ask_again(
    item: dict[str, Any], expected: type[ProviderError], gemini: Make, gemini_server: GeminiServer
) -> None:
    gemini_server.push(item)

    with pytest.raises(ProviderError) as failure:
        gemini().embed(["hello"], purpose="query")

    assert type(failure.value) is expected
    assert gemini_server.asked == 1
    if expected is RateLimited:
        assert failure.value.retry_after == 3.5


@pytest.mark.parametrize(("own", "of_the_call"), [(0.1, None), (5, 0.1)], ids=["own", "of the call"])
def test_silence_is_a_timeout(
    own: float, of_the_call: float | None, gemini: Make, gemini_server: GeminiServer
) -> None:
    gemini_server.push({"delay": 5})

    with pytest.raises(ProviderTimeout, match=r"(silent for|not finished its answer after) 0\.1 seconds"):
        gemini(timeout=own).embed(["hello"], purpose="query", timeout=of_the_call)
