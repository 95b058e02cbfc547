"""What every embedder over HTTP does before its vendor is asked, shown on a vendor that only echoes."""

from collections.abc import Sequence

import pytest

from providers.embeddings.base import Purpose
from providers.embeddings.hosted import HostedEmbedder
from providers.embeddings.options import NONE, prefixes_of
from providers.embeddings.shaping import Rows
from providers.errors import ExternalRefused, Unauthorized


class EchoEmbedder(HostedEmbedder):
    kind = "echo"
    vendor = "Echo"
    vendor_url = "http://localhost:9"
    vendor_model = "echo-e5-small"
    vendor_dimensions = 2
    key_variable = "ECHO_API_KEY"

    def _send(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        self.sent = [*getattr(self, "sent", []), list(texts)]
        return [[len(text), 1] for text in texts]


def test_the_prefix_comes_after_the_cutting() -> None:
    embedder = EchoEmbedder(alias="echo", options={"api_key": "k"})
    embedder.most_tokens = 2

    embedder.embed(["a very long text"], purpose="query")

    assert embedder.sent == [["query: a very l"]]


def test_a_call_has_no_more_tokens_than_a_vendor_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = EchoEmbedder(alias="echo", options={"api_key": "k", "document_prefix": ""})
    monkeypatch.setattr(EchoEmbedder, "most_tokens_of_a_call", 10)

    embedder.embed(["a" * 20, "b" * 20, "c" * 20], purpose="document")

    assert embedder.sent == [["a" * 20, "b" * 20], ["c" * 20]]


def test_a_missing_key_names_its_variable() -> None:
    with pytest.raises(Unauthorized, match=r"no API key for 'echo'\. Set ECHO_API_KEY"):
        EchoEmbedder(alias="echo").embed(["hello"], purpose="query")


def test_nobody_beyond_this_machine_is_asked_while_the_switch_is_off() -> None:
    embedder = EchoEmbedder(alias="echo", options={"api_key": "k", "base_url": "https://example.org"})

    with pytest.raises(ExternalRefused):
        embedder.embed(["hello"], purpose="query")


SAID: list[tuple[str, Purpose, str]] = [
    ("gemini-embedding-2", "query", "task: search result | query: hi"),
    ("gemini-embedding-2-preview", "document", "title: none | text: hi"),
    ("gemini-embedding-001", "query", "hi"),
    ("nomic-embed-text:latest", "query", "search_query: hi"),
    ("intfloat/multilingual-e5-small", "query", "query: hi"),
    ("intfloat/multilingual-e5-small", "document", "passage: hi"),
    ("intfloat/e5-mistral-7b-instruct", "query", "hi"),
    ("BAAI/bge-small-en-v1.5", "query", "Represent this sentence for searching relevant passages: hi"),
    ("BAAI/bge-small-en-v1.5", "document", "hi"),
    ("text-embedding-3-small", "query", "hi"),
    ("sentence-transformers/all-MiniLM-L6-v2", "document", "hi"),
]


@pytest.mark.parametrize(("model", "purpose", "expected"), SAID)
def test_a_model_gets_the_prefixes_that_its_authors_recommend(
    model: str, purpose: Purpose, expected: str
) -> None:
    assert prefixes_of(model).before("hi", purpose) == expected


def test_configured_prefixes_win_even_if_empty() -> None:
    assert prefixes_of("nomic-embed-text", query="", document="d: ") == ("", "d: ")
    assert prefixes_of("nomic-embed-text", query="", document="") == NONE
