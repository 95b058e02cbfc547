"""What is searched: vectors and texts, drawn from a seed. No database here."""

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
SEED = 7
TOPICS = 200
# Two sentences of one topic have a cosine of about .55, as MiniLM gives those that are about the same thing.
NOISE = 0.9
_WORDS, _WORDS_A_TEXT = 20_000, 12

Vectors = NDArray[np.float32]


def topical(count: int, *, seed: int = SEED) -> Vectors:
    """Unit vectors round topics that all tenants share. Those of one seed begin alike."""
    centres = _units(np.random.default_rng(SEED).standard_normal((TOPICS, DIMENSIONS)))
    random = np.random.default_rng([SEED, seed])
    noise = random.standard_normal((count, DIMENSIONS)) * (NOISE / np.sqrt(DIMENSIONS))
    return _units(centres[random.integers(0, TOPICS, count)] + noise)


def texts(count: int, *, seed: int = SEED) -> list[str]:
    """Twelve words each, which fall off as words do (Zipf): the n-th is n times rarer than the first."""
    share = 1 / np.arange(1, _WORDS + 1)
    random = np.random.default_rng([SEED, seed])
    drawn = random.choice(_WORDS, size=(count, _WORDS_A_TEXT), p=share / share.sum())
    return [" ".join(f"w{word}" for word in row) for row in drawn]


def _units(drawn: NDArray[np.float64]) -> Vectors:
    kept: Vectors = (
        (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)
    )
    return kept
