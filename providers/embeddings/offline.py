"""The embedder that needs no key, no network and no files: hashed n-grams of words and letters.

It is lexical, not a model of meaning: texts are near when they share words or parts of words, in any script.
`car` and `automobile` are strangers to it. After the hashing trick (Weinberger et al. 2009) over words and the
letter n-grams of fastText (Bojanowski et al. 2017), without anything learnt.
"""

import hashlib
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from providers.embeddings.base import Embedder, Purpose, RawVectors
from providers.normal_form import normal_form

DIMENSIONS = 512
LONGEST = 20_000  # characters that are read of a text; the rest changes its vector by little
GRAMS = (3, 4, 5)
DENSE_GRAMS = (1, 2, 3)  # of scripts in which one sign says as much as a syllable or a word
SIGN_WEIGHT = 0.25  # of one such sign alone: many are endings and particles
LONG_WORD = 6  # letters from which on a word counts in full; the shorter, the likelier it says nothing
TOKENS = re.compile(r"\w+|[^\w\s]")


class OfflineEmbedder(Embedder):
    """Equal texts have equal vectors, in every process and on every machine."""

    kind: ClassVar[str] = "offline"
    instant: ClassVar[bool] = True
    near_from: ClassVar[float] = (
        0.3  # measured over the project's own pages: everyday messages stay below 0.28
    )
    lexical: ClassVar[bool] = True
    model = "offline-ngrams-1"
    dimensions = DIMENSIONS

    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> RawVectors:
        return RawVectors(np.stack([_vector(text[:LONGEST]) for text in texts]))

    def _cost(self, tokens: int | None) -> Decimal:
        return Decimal(0)


def _vector(text: str) -> NDArray[np.float64]:
    counted: defaultdict[str, float] = defaultdict(float)
    for feature, weight in _features(text):
        counted[feature] += weight
    vector = np.zeros(DIMENSIONS)
    for feature, weight in counted.items():
        place, sign = _place(feature)
        vector[place] += sign * math.log1p(weight)
    if not vector.any():  # no features, or they cancelled out: the text as it stands is its only feature
        vector[_place(f"t:{text}")[0]] = 1.0
    return vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Words and parts of words, each with its weight."""
    words = TOKENS.findall(normal_form("NFKC", text).casefold())
    letters = [word for word in words if word[0].isalnum()]
    for word in letters or words:  # signs count only where there is nothing else, such as emoji
        dense = unicodedata.category(word[0]) == "Lo"
        weight = 1.0 if dense else min(1.0, (len(word) / LONG_WORD) ** 2)
        yield f"w:{word}", weight
        for gram in _grams(f"<{word}>", DENSE_GRAMS if dense else GRAMS):
            yield f"g:{gram}", weight if len(gram) > 1 else SIGN_WEIGHT


def _grams(bounded: str, sizes: Sequence[int]) -> Iterator[str]:
    for size in sizes:
        for start in range(len(bounded) - size + 1):
            yield bounded[start : start + size]


@lru_cache(maxsize=65_536)
def _place(feature: str) -> tuple[int, int]:
    """Where a feature falls, and with which sign, so that two in one place cancel out on average."""
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return number % DIMENSIONS, 1 if number >> 63 else -1
