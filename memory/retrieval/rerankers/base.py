"""The interface of rerankers: a question and the texts that a ranker found go in, a better order comes out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, NamedTuple
from uuid import UUID

RERANKED = 40  # of what a ranker finds, the first: a wider stage costs more than it finds


class Asked(NamedTuple):
    """The language model of the companion: the alias of a provider and the model; None: the service's default."""

    provider: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """One entry or message: its text, whose or about whom it is, and when it was told."""

    text: str
    who: str
    told_at: datetime


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """What to put in order. `passages`: as the ranker has them, best first; `seconds`: what is left for it."""

    project_id: UUID
    question: str
    passages: Sequence[Passage]
    asked: Asked
    seconds: float


class NotUnderstood(Exception):
    """What a model answered is no order of what it was shown."""


class Reranker(ABC):
    """One way to put few passages in order by reading them."""

    slug: ClassVar[str]

    def require(self, request: RerankRequest) -> None:  # noqa: B027 - most need nothing
        """Look whether it may be asked at all, before a thread is. Raises RapportError, ProviderError."""

    @abstractmethod
    def rerank(self, request: RerankRequest) -> Sequence[int]:
        """Places of the passages, from 0, best first; who is not among them follows in the order of before.

        It runs in a thread of its own, and who waits for it may be gone. Raises ProviderError, NotUnderstood.
        """
