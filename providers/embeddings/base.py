"""The interface behind which every embedder stands: texts go in, unit vectors come out.

An embedder is an alias in `EMBEDDING_PROVIDERS`; nothing outside this package knows a vendor or a model's files.
It raises the same errors as the language models (providers/errors.py).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from providers.embeddings.shaping import presentable, unit_vectors
from providers.errors import ProviderError

Purpose = Literal["query", "document"]


class Space(NamedTuple):
    """Vectors compare only within one space."""

    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector for each text, in order, and what they took.

    `vectors` is float32 of shape (texts, dimensions), each row of length 1. `tokens` are the vendor's own count
    and None where it gave none; `cost` is in USD and None where the price is unknown.
    """

    vectors: NDArray[np.float32]
    model: str
    dimensions: int
    provider: str
    tokens: int | None
    milliseconds: float
    cost: Decimal | None
    lexical: bool = False  # as Embedder.lexical

    @property
    def space(self) -> Space:
        return Space(self.model, self.dimensions)


@dataclass(frozen=True, slots=True)
class RawVectors:
    """A batch's vectors as they came, not yet looked at."""

    rows: Sequence[Any] | NDArray[Any]
    tokens: int | None = None


class Embedder(ABC):
    """One configured way to turn texts into vectors. Made once per process and alias; used by many threads.

    `kind` names the sort, `alias` this one, `model` the space. `dimensions` is None until the first answer where
    only the model knows. `instant` says that it neither waits nor loads: a question may be embedded at once.
    `lexical`: texts are near when they share words, so that its vectors say nothing that a text search does not.
    """

    kind: ClassVar[str]
    instant: ClassVar[bool] = False
    # The cosine from which a passage is held to speak of a question: cautious for sentence models, where texts that
    # have nothing to do with one another mostly stay below. Models whose cosines all lie high say their own.
    near_from: ClassVar[float] = 0.4
    lexical: ClassVar[bool] = False
    most_texts: int = 100  # of one call
    model: str = ""
    dimensions: int | None = None

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """`options` are the alias's OPTIONS from the settings."""
        self.alias = alias

    def embed(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None = None) -> Embedded:
        """One unit vector for each text, asked for in as many calls as it takes. Raises ProviderError.

        `timeout` is in seconds for each call; None is the embedder's own. Nothing is given back unless every text
        has its vector: finite, not zero, and all of one length, else InvalidVectors.
        """
        started = time.perf_counter()
        asked = [
            (len(batch), self._ask(batch, purpose=purpose, timeout=timeout))
            for batch in self._batches([presentable(text) for text in texts])
        ]
        vectors = unit_vectors(
            [(raw.rows, count) for count, raw in asked], who=self.alias, dimensions=self.dimensions
        )
        if len(vectors):
            self.dimensions = vectors.shape[1]
        tokens = _total([raw.tokens for _, raw in asked])
        return Embedded(
            vectors=vectors,
            model=self.model,
            dimensions=vectors.shape[1],
            provider=self.alias,
            tokens=tokens,
            milliseconds=(time.perf_counter() - started) * 1000,
            cost=self._cost(tokens),
            lexical=self.lexical,
        )

    @abstractmethod
    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> RawVectors:
        """The vectors of one batch, in order. Raises ProviderError."""

    def _batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        for start in range(0, len(texts), self.most_texts):
            yield texts[start : start + self.most_texts]

    def _cost(self, tokens: int | None) -> Decimal | None:
        return None

    def describe(self) -> dict[str, str]:
        """What an operator may see: alias, kind, model, host ("" for none). Never a key."""
        return {"alias": self.alias, "kind": self.kind, "model": self.model, "host": ""}

    def close(self) -> None:  # noqa: B027 - most embedders hold nothing
        """Let go of connections. Nothing is asked afterwards."""


def embed_in_halves(
    texts: Sequence[str], ask: Callable[[Sequence[str]], Embedded]
) -> Iterator[tuple[range, Embedded | ProviderError]]:
    """The vectors of all `texts`, or, where they are refused for good, of each half, so that one bad text fails alone.

    Gives the places of some texts with their vectors, or of a single one with why it was refused; in order. Raises
    the ProviderError that passes.
    """
    left = [range(len(texts))] if texts else []
    while left:
        places = left.pop()
        answer: Embedded | ProviderError
        try:
            answer = ask(texts[places.start : places.stop])
        except ProviderError as error:
            if not error.permanent:
                raise
            if len(places) > 1:
                middle = len(places) // 2
                left += [places[middle:], places[:middle]]
                continue
            answer = error
        yield places, answer


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
