"""The embedder of everybody: words and their trigrams in hashed places. Deterministic, lexical, and no model.

Texts that share words are near each other; texts that share none still have a cosine of about 0.2, as with sentence
models, so that a system's floor for similarity does not cut all that is said in other words.
"""

import re
from array import array
from functools import lru_cache
from math import sqrt
from zlib import crc32

DIMENSIONS = 1536
COMMON = 0.2  # of the squared length, the same for every text
_WORD = re.compile(r"\w+")


def vector_of(text: str, dimensions: int = DIMENSIONS) -> "array[float]":
    """The text's vector, of length 1, as 32-bit floats."""
    vector = [0.0] * dimensions
    for word in _WORD.findall(text.casefold()):
        for place, weight in _places(word):
            vector[place % dimensions] += weight
    length = sqrt(sum(value * value for value in vector)) or 1.0
    own, shared = sqrt(1 - COMMON) / length, sqrt(COMMON / dimensions)
    return array("f", [value * own + shared for value in vector])


@lru_cache(maxsize=50_000)
def _places(word: str) -> tuple[tuple[int, float], ...]:
    """The word whole counts as much as all of its trigrams."""
    ends = f"^{word}$"
    trigrams = [ends[at : at + 3] for at in range(len(ends) - 2)]
    parts = [(word, 1.0), *((part, 1 / len(trigrams)) for part in trigrams)]
    return tuple((_hashed(part), weight if _hashed(part) & 1 else -weight) for part, weight in parts)


def _hashed(part: str) -> int:
    return crc32(part.encode()) >> 1
