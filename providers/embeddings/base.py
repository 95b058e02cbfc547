"""The interface of all embedders: texts in, unit vectors out.

An embedder is an alias in `EMBEDDING_PROVIDERS`. Only this package knows vendors and model files.
It raises the same errors as the language models (providers/errors.py).
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from providers.embeddings.shaping import Rows, presentable, unit_vectors
from providers.errors import ProviderError

Purpose = Literal["query", "document"]


class Space(NamedTuple):
    """A space of vectors. Only vectors of the same space can be compared."""

    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector per text, in order: float32 of shape (texts, dimensions), each row of length 1."""

    vectors: NDArray[np.float32]
    model: str
    milliseconds: float
    lexical: bool = False  # as Embedder.lexical

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def space(self) -> Space:
        return Space(self.model, self.dimensions)


class Embedder(ABC):
    """A configured embedder. One instance per process and alias, used by many threads.

    `kind` names the class, `alias` the instance, `model` the space. `dimensions` may be None until the first answer, if
    only the model knows it. `instant`: it neither waits nor loads anything. `lexical`: texts are near if they share
    words, so the vectors add nothing to a text search.
    """

    kind: ClassVar[str]
    instant: ClassVar[bool] = False
    # Lowest cosine at which a passage counts as relevant to a question. A cautious value for sentence models: unrelated
    # texts are mostly below it. Models with generally high cosines override it.
    near_from: ClassVar[float] = 0.4
    lexical: ClassVar[bool] = False
    most_texts: int = 100  # per call
    model: str = ""
    dimensions: int | None = None

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """`options`: the alias's OPTIONS from the settings."""
        self.alias = alias

    def embed(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None = None) -> Embedded:
        """Embed the texts, in as many calls as needed. Returns one unit vector per text. Raises ProviderError.

        `timeout`: seconds for each call; None: the embedder's own. All vectors must be finite, not zero, and of the
        same length, otherwise InvalidVectors is raised.
        """
        started = time.perf_counter()
        asked = [
            (self._ask(batch, purpose=purpose, timeout=timeout), len(batch))
            for batch in self._batches([presentable(text) for text in texts])
        ]
        vectors = unit_vectors(asked, who=self.alias, dimensions=self.dimensions)
        if len(vectors):
            self.dimensions = vectors.shape[1]
        return Embedded(vectors, self.model, (time.perf_counter() - started) * 1000, self.lexical)

    @abstractmethod
    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        """Return the vectors of one batch, in order, not checked yet. Raises ProviderError."""

    def _batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        for start in range(0, len(texts), self.most_texts):
            yield texts[start : start + self.most_texts]

    def close(self) -> None:  # noqa: B027 - most embedders hold nothing
        """Close connections. The embedder is not used afterwards."""


def embed_in_halves(
    texts: Sequence[str], ask: Callable[[Sequence[str]], Embedded]
) -> Iterator[tuple[range, Embedded | ProviderError]]:
    """Embed all `texts`; if they are refused permanently, embed each half, so that only a bad text fails.

    Yields, in order, the indexes of some texts with their vectors, or the index of one text with its refusal. Raises
    transient ProviderErrors.
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
