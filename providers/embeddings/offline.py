"""An embedder without key, network or files: hashed n-grams of words and letters.

It is lexical, not a model of meaning: texts are near if they share words or parts of words, in any script. `car` and
`automobile` are not near. It uses the hashing trick (Weinberger et al. 2009) on words and on letter n-grams as in
fastText (Bojanowski et al. 2017), without learning.
"""

import hashlib
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from providers.embeddings.base import Embedder, Purpose
from providers.embeddings.shaping import Rows
from providers.normal_form import normal_form

DIMENSIONS = 512
LONGEST = 20_000  # characters read of a text; the rest would hardly change its vector
GRAMS = (3, 4, 5)
DENSE_GRAMS = (1, 2, 3)  # for scripts in which one sign is a syllable or a word
SIGN_WEIGHT = 0.25  # of a single such sign, as many are endings and particles
LONG_WORD = 6  # from this length on a word has full weight; shorter words tend to say less
TOKENS = re.compile(r"\w+|[^\w\s]")


class OfflineEmbedder(Embedder):
    """The offline embedder. Equal texts have equal vectors in every process and on every machine."""

    kind: ClassVar[str] = "offline"
    instant: ClassVar[bool] = True
    # Measured on the project's own pages: everyday messages stay below 0.28.
    near_from: ClassVar[float] = 0.3
    lexical: ClassVar[bool] = True
    model = "offline-ngrams-1"
    dimensions = DIMENSIONS

    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        return np.stack([_vector(text[:LONGEST]) for text in texts])


def _vector(text: str) -> NDArray[np.float64]:
    counted: defaultdict[str, float] = defaultdict(float)
    for feature, weight in _features(text):
        counted[feature] += weight
    vector = np.zeros(DIMENSIONS)
    for feature, weight in counted.items():
        place, sign = _place(feature)
        vector[place] += sign * math.log1p(weight)
    if not vector.any():  # no features, or they cancelled out: use the whole text as the only feature
        vector[_place(f"t:{text}")[0]] = 1.0
    return vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Yield words and parts of words with their weights."""
    words = TOKENS.findall(normal_form("NFKC", text).casefold())
    letters = [word for word in words if word[0].isalnum()]
    for word in letters or words:  # signs such as emoji count only if there are no words
        dense = unicodedata.category(word[0]) == "Lo"
        weight = 1.0 if dense else min(1.0, (len(word) / LONG_WORD) ** 2)
        yield f"w:{word}", weight
        bounded = f"<{word}>"
        for size in DENSE_GRAMS if dense else GRAMS:
            for start in range(len(bounded) - size + 1):
                yield f"g:{bounded[start : start + size]}", weight if size > 1 else SIGN_WEIGHT


@lru_cache(maxsize=65_536)
def _place(feature: str) -> tuple[int, int]:
    """A feature's index and sign. With random signs, collisions cancel out on average."""
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return number % DIMENSIONS, 1 if number >> 63 else -1
