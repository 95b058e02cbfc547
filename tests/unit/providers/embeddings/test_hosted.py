"""What every embedder over HTTP does before its vendor is asked, shown on a vendor that only echoes."""

import pytest

from providers.embeddings.base import Purpose
from providers.embeddings.options import NONE, prefixes_of

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
def test_a_model_is_told_the_purpose_as_its_authors_say(model: str, purpose: Purpose, expected: str) -> None:
    assert prefixes_of(model).before("hi", purpose) == expected


def test_what_is_stated_wins_also_when_it_is_empty() -> None:
    assert prefixes_of("nomic-embed-text", query="", document="d: ") == ("", "d: ")
    assert prefixes_of("nomic-embed-text", query="", document="") == NONE
