from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from providers.embeddings.base import Space
from providers.embeddings.openai import EmbeddingsAnswer, OpenAIEmbedder
from providers.errors import (
    InvalidVectors,
    ProviderError,
    ProviderMisconfigured,
    ProviderTimeout,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
)
from tests.vendor_servers.openai_server import OpenAIServer

Make = Callable[..., OpenAIEmbedder]


def test_each_text_has_its_own_vector(openai: Make, openai_server: OpenAIServer) -> None:
    openai_server.push({"model": "nomic-embed-text:v2"})

    embedded = openai(model="nomic-embed-text").embed(["I live in Porto", "My cat"], purpose="document")

    assert embedded.vectors.shape == (2, 16)
    assert np.allclose(np.linalg.norm(embedded.vectors, axis=1), 1)
    assert embedded.space == Space("nomic-embed-text", 16), (
        "the space is named as the operator names the model"
    )


def test_everything_asked_for_is_sent_in_openais_words(openai: Make, openai_server: OpenAIServer) -> None:
    openai(model="m", dimensions=8, extra={"user": "rapport"}).embed(["one", "two"], purpose="query")

    [seen] = openai_server.requests
    assert seen.path == "/v1/embeddings"
    assert seen.headers["authorization"] == "Bearer secret-key"
    assert seen.body == {
        "model": "m",
        "input": ["one", "two"],
        "encoding_format": "base64",
        "dimensions": 8,
        "user": "rapport",
    }


def test_dimensions_are_sent_only_if_configured(openai: Make, openai_server: OpenAIServer) -> None:
    openai().embed(["hello"], purpose="document")

    assert openai_server.requests[0].body["model"] == "text-embedding-3-small"
    assert "dimensions" not in openai_server.requests[0].body


def test_base64_and_lists_of_numbers_are_the_same(openai: Make, openai_server: OpenAIServer) -> None:
    embedder = openai()
    by_base64 = embedder.embed(["I live in Porto"], purpose="document").vectors
    openai_server.push({"encoding": "float"})

    by_numbers = embedder.embed(["I live in Porto"], purpose="document").vectors

    assert np.allclose(by_base64, by_numbers)


def test_a_server_that_knows_no_base64_is_asked_for_numbers_from_then_on(
    openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push({"status": 400, "message": "Unsupported value", "param": "encoding_format"})
    embedder = openai()

    embedder.embed(["one"], purpose="document")
    embedder.embed(["two"], purpose="document")

    asked = [seen.body["encoding_format"] for seen in openai_server.requests]
    assert asked == ["base64", "float", "float"]


def test_vectors_are_put_into_the_order_of_the_texts(openai: Make, openai_server: OpenAIServer) -> None:
    openai_server.push({"vectors": [[0, 1], [1, 0]], "numbers": [1, 0]})

    vectors = openai().embed(["first", "second"], purpose="document").vectors

    assert vectors.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("status", [400, 413, 500])
def test_a_text_that_a_server_finds_too_long_is_shortened_until_it_fits(
    status: int, openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push(
        {"status": status, "message": "input (2500 tokens) is too large to process", "repeat": 3}
    )
    embedder = openai()

    embedder.embed(["word " * 20_000, "short"], purpose="document")

    lengths = [len(seen.body["input"][0]) for seen in openai_server.requests]
    assert lengths == [24_000, 12_000, 6_000, 3_000]
    assert openai_server.requests[-1].body["input"][1] == "short"


def test_a_complaint_about_length_that_never_ends_is_a_refusal(
    openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push({"status": 400, "message": "maximum context length exceeded", "always": True})

    with pytest.raises(RequestRefused, match="maximum context length"):
        openai().embed(["hello"], purpose="document")

    assert openai_server.asked < 10


def test_a_model_that_can_not_be_shortened_asks_for_the_operator(
    openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push({"status": 400, "message": "This model does not support dimensions."})

    with pytest.raises(ProviderMisconfigured, match="change RAPPORT_EMBEDDING_DIMENSIONS"):
        openai(model="m", dimensions=8).embed(["hello"], purpose="document")


FAILURES: list[tuple[dict[str, Any], type[ProviderError]]] = [
    ({"status": 429, "retry_after": 7}, RateLimited),
    ({"status": 500}, ProviderUnavailable),
    ({"raw": "<html>It works!</html>", "content_type": "text/html"}, ProviderUnavailable),
    ({"raw": '{"data": "none"}'}, ProviderUnavailable),
    ({"raw": '{"data": [{"embedding": "no base64!"}]}'}, ProviderUnavailable),
    ({"raw": '{"error": {"message": "overloaded"}}'}, ProviderUnavailable),
]


@pytest.mark.parametrize(("item", "expected"), FAILURES, ids=[str(item) for item, _ in FAILURES])
def test_a_failure_has_its_class_and_the_sdk_does_not_ask_again(
    item: dict[str, Any], expected: type[ProviderError], openai: Make, openai_server: OpenAIServer
) -> None:
    openai_server.push(item)

    with pytest.raises(ProviderError) as failure:
        openai().embed(["hello"], purpose="query")

    assert type(failure.value) is expected
    assert openai_server.asked == 1


def test_the_wait_of_a_call_wins_over_the_embedders_own(openai: Make, openai_server: OpenAIServer) -> None:
    openai_server.push({"delay": 5})

    with pytest.raises(ProviderTimeout, match=r"(silent for|not finished its answer after) 0\.1 seconds"):
        openai().embed(["hello"], purpose="query", timeout=0.1)


def test_without_numbers_the_order_counts() -> None:
    answer = EmbeddingsAnswer.model_validate({"data": [{"embedding": [1]}, {"embedding": [2]}]})

    assert answer.rows() == [[1], [2]]


@pytest.mark.parametrize("numbers", [[0, 2], [1, 2], [0, 0], [0, None]], ids=str)
def test_a_numbering_that_fits_no_texts_is_refused(numbers: list[int | None]) -> None:
    data = [{"embedding": [1], "index": number} for number in numbers]

    with pytest.raises(InvalidVectors):
        EmbeddingsAnswer.model_validate({"data": data}).rows()


def test_nulls_are_borne_and_a_wrong_shape_is_not() -> None:
    assert EmbeddingsAnswer.model_validate({"data": None}).rows() == []
    with pytest.raises(ValidationError):
        EmbeddingsAnswer.model_validate({"data": [{"embedding": {"values": [1]}}]})
