"""The arithmetic of decay. Pure.

An entry's score is similarity x importance x 2^(-age / half-life). `order_keys` orders by it, even if it is too small
for a float. Ages differ only by when each entry was told, so `log_weights` needs no present time: ordering by
similarity x exp(log weight) is ordering by the score, at any time. A decayed vector is the unit vector times
exp(log weight), in float4.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Decayed = NDArray[np.float32]

SECONDS_A_DAY = 86_400.0
# float4 ends at 2^128. Before anything is told this many half-lives after the reference, the reference is moved.
MOST_HALF_LIVES = 60.0


def log_weights(importance: Floats, told: Floats, *, reference: float, half_life_days: float) -> Floats:
    """ln(importance) + lambda x (told - reference), lambda = ln 2 / half-life. Times in seconds since 1970.

    Minus infinity if the importance is 0.
    """
    age = half_lives(told, reference=reference, half_life_days=half_life_days)
    with np.errstate(divide="ignore"):
        weights: Floats = np.log(importance) + np.log(2.0) * age
    return weights


def half_lives(told: Floats, *, reference: float, half_life_days: float) -> Floats:
    """The number of half-lives after the reference; negative before it."""
    return (told - reference) / (half_life_days * SECONDS_A_DAY)


def order_keys(similarity: Floats, importance: Floats, age: Floats) -> tuple[Floats, Floats, Floats]:
    """(sign, exponent, mantissa). Ordering by these, descending, is ordering by similarity x importance x 2^age, like
    float8 with an unlimited exponent. `age` is in half-lives, from `half_lives`.
    """
    whole = np.floor(age)
    near, near_exponent = np.frexp(similarity)
    weight, weight_exponent = np.frexp(importance)
    mantissa, exponent = np.frexp(near * weight * np.exp2(age - whole))
    sign: Floats = np.sign(mantissa)
    return sign, sign * (near_exponent + weight_exponent + exponent + whole), mantissa


def decayed_vectors(units: NDArray[np.float32], log_weight: Floats) -> Decayed:
    """The unit vectors times exp(log weight), one per row, computed in float8 and rounded once.

    What is too small for float4 becomes 0, and ranks last.
    """
    return (units.astype(np.float64) * np.exp(log_weight)[:, None]).astype(np.float32)
