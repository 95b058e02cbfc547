"""The arithmetic of decay. Pure.

An entry's score is similarity x importance x 2^(-age / half-life). `order_keys` orders by it, even where it is too
small for a float. The age is the same for all entries but for when each was told, so `log_weights` need not know the
present: ordering by similarity x exp(log weight) is ordering by the score, at any time. A decayed vector is the unit
vector times exp(log weight), in float4.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Decayed = NDArray[np.float32]

SECONDS_A_DAY = 86_400.0
# float4 ends at 2^128. What is told so many half-lives after the reference is not kept so: the reference moves first.
MOST_HALF_LIVES = 60.0


def log_weights(importance: Floats, told: Floats, *, reference: float, half_life_days: float) -> Floats:
    """ln(importance) + lambda x (told - reference), lambda = ln 2 / half-life. Times in seconds since 1970.

    Minus infinity where the importance is 0.
    """
    age = half_lives(told, reference=reference, half_life_days=half_life_days)
    with np.errstate(divide="ignore"):
        weights: Floats = np.log(importance) + np.log(2.0) * age
    return weights


def half_lives(told: Floats, *, reference: float, half_life_days: float) -> Floats:
    """How many half-lives after the reference; before it: negative."""
    return (told - reference) / (half_life_days * SECONDS_A_DAY)


def order_keys(similarity: Floats, importance: Floats, age: Floats) -> tuple[Floats, Floats, Floats]:
    """(sign, exponent, mantissa): ordering by these, descending, is ordering by similarity x importance x 2^age, as
    float8 would if it had no smallest and no largest number. `age` in half-lives, as `half_lives` gives it.
    """
    whole = np.floor(age)
    near, near_exponent = np.frexp(similarity)
    weight, weight_exponent = np.frexp(importance)
    mantissa, exponent = np.frexp(near * weight * np.exp2(age - whole))
    sign: Floats = np.sign(mantissa)
    return sign, sign * (near_exponent + weight_exponent + exponent + whole), mantissa


def decayed_vectors(units: NDArray[np.float32], log_weight: Floats) -> Decayed:
    """One row each: the unit vector times exp(log weight), taken in float8 and rounded once.

    What is too small for float4 becomes 0, and ranks with the least.
    """
    return (units.astype(np.float64) * np.exp(log_weight)[:, None]).astype(np.float32)


def must_move(told: Sequence[float], *, reference: float, half_life_days: float) -> bool:
    """Whether the reference has to move before these can be kept."""
    newest = max(told, default=reference)
    return (newest - reference) / (half_life_days * SECONDS_A_DAY) > MOST_HALF_LIVES
