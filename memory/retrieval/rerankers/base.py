"""The interface of rerankers: a question and the texts that a ranker found go in, and a better order comes out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, NamedTuple
from uuid import UUID

RERANKED = 40  # of the ranker's first hits: more cost more than they are worth


class Asked(NamedTuple):
    """The language model of the companion: the alias of a provider and the model; None: the service's default."""

    provider: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """An entry or message: its text, its subject or speaker, and when it was told."""

    text: str
    who: str
    told_at: datetime


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """What to rerank. `passages`: in the ranker's order, best first; `seconds`: the time left for it."""

    project_id: UUID
    question: str
    passages: Sequence[Passage]
    asked: Asked
    seconds: float


class NotUnderstood(Exception):
    """The model's answer is not an order of what it was shown."""


class Reranker(ABC):
    """One way to order a few passages by reading them."""

    slug: ClassVar[str]

    def require(self, request: RerankRequest) -> None:  # noqa: B027 - most need nothing
        """Check whether it can be used, before a thread is. Raises RapportError, ProviderError."""

    @abstractmethod
    def rerank(self, request: RerankRequest) -> Sequence[int]:
        """The indexes of the passages, from 0, best first. Missing ones follow in the previous order.

        It runs in a thread of its own, and the caller may have given up waiting. Raises ProviderError, NotUnderstood.
        """
