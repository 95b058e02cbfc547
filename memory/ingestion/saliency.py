"""How much an entry counts when a scratchpad has to give something up. Arithmetic only.

Saliency is importance x weight x confidence, and up to a fifth more the newer the entry is. The gain from being
new is bounded, as recency that multiplies without a bound buries whatever is old and true.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

NEWNESS = 0.2  # what an entry of this moment counts more than one of long ago
HALF_LIFE_DAYS = 30.0  # after which half of that is left
DEFAULT_IMPORTANCE = 0.5  # what an entry has that nobody judged
# What an entry of such a type counts while nobody judged it: the floors that the recipe `importance` goes by, for
# limits belong to preferences here; people in their life and promises stand between goals and preferences, lasting
# worries beside preferences. Other types: the default.
IMPORTANCE_OF_TYPE = {
    "identity": 0.85,
    "goal": 0.75,
    "relationship": 0.7,
    "agreement": 0.7,
    "preference": 0.6,
    "worry": 0.6,
}


class Candidate(NamedTuple):
    """An entry that may leave: what it counts, and the tokens its line takes."""

    id: UUID
    saliency: float
    age_days: float
    tokens: int


def saliency(*, type: str, importance: float, weight: float, confidence: float, age_days: float) -> float:
    """What an entry counts: 0 or more, and at most 1.2 x weight. `age_days` below 0 count as 0."""
    if importance == DEFAULT_IMPORTANCE:
        importance = IMPORTANCE_OF_TYPE.get(type, importance)
    newness: float = 0.5 ** (max(age_days, 0.0) / HALF_LIFE_DAYS)
    return importance * weight * confidence * (1 + NEWNESS * newness)


def least_salient(candidates: Sequence[Candidate], *, tokens: int) -> list[Candidate]:
    """As many of the least salient as take `tokens` together, or all; of equals the older, then the lower ID."""
    leaving: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda known: (known.saliency, -known.age_days, known.id)):
        if tokens <= 0:
            break
        leaving.append(candidate)
        tokens -= candidate.tokens
    return leaving
