"""Rerankers of a plugin, for tests."""

from collections.abc import Sequence
from typing import ClassVar

from memory.retrieval.rerankers.base import Reranker, RerankRequest


class LongestFirst(Reranker):
    slug: ClassVar[str] = "longest"

    def rerank(self, request: RerankRequest) -> Sequence[int]:
        return sorted(range(len(request.passages)), key=lambda place: -len(request.passages[place].text))


class Broken(Reranker):
    """A reranker that fails, with an error text that quotes somebody."""

    slug: ClassVar[str] = "broken"

    def rerank(self, request: RerankRequest) -> Sequence[int]:
        raise KeyError(request.question)


class Stranger(Reranker):
    slug: ClassVar[str] = "stranger"

    def rerank(self, request: RerankRequest) -> Sequence[int]:
        return [0, 0]
