from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.retrieval.decay import (
    MOST_HALF_LIVES,
    SECONDS_A_DAY,
    decayed_vectors,
    half_lives,
    log_weights,
    order_keys,
)

DIMENSIONS = 16
REFERENCE = 1_700_000_000.0
ROUNDING = Fraction(8, 2**52)  # of the products
FLOAT4_ROUNDING = DIMENSIONS * 2.0**-23

Floats = NDArray[np.float64]


def formula(similarity: Floats, importance: Floats, told: Floats, now: float, half_life: float) -> Floats:
    """As it was published. `half_life` in days."""
    scores: Floats = similarity * importance * 2.0 ** (-(now - told) / (half_life * SECONDS_A_DAY))
    return scores


def draw(
    seed: int, count: int, *, span: float, half_life: float
) -> tuple[NDArray[np.float32], Floats, Floats, Floats]:
    """Unit vectors, a question, importances, and times within so many half-lives before the reference."""
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((count + 1, DIMENSIONS))
    units = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    told = REFERENCE - random.uniform(0, span, count) * half_life * SECONDS_A_DAY
    return units[:count], units[count].astype(np.float64), random.uniform(0, 1, count), told


def assert_same_order(found: Floats, wanted: Floats, slack: Floats) -> None:
    """Wherever two of `wanted` differ by more than their rounding allows, `found` orders them alike."""
    order = np.argsort(-wanted, kind="stable")
    found, wanted, slack = found[order], wanted[order], slack[order]
    differ = wanted[:, None] - wanted[None, :] > slack[:, None] + slack[None, :]
    assert (found[:, None] - found[None, :])[differ].min(initial=np.inf) > 0


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(0, 1), st.integers(-5000, 100_000)), min_size=2, max_size=20
    )
)
def test_the_keys_order_as_the_formula_does_however_small_the_score(
    rows: list[tuple[float, float, int]],
) -> None:
    """Whole half-lives, so that the formula can be reckoned without any rounding."""
    similarity, importance, age = np.array(rows, dtype=np.float64).T
    keys = list(zip(*order_keys(similarity, importance, -age), strict=True))
    exact = [Fraction(near) * Fraction(weight) * Fraction(2) ** -age for near, weight, age in rows]

    for one, other in combinations(range(len(rows)), 2):
        if abs(exact[one] - exact[other]) > ROUNDING * max(abs(exact[one]), abs(exact[other])):
            assert (keys[one] > keys[other]) == (exact[one] > exact[other])


@given(st.integers(0, 10_000), st.floats(0.01, 1000), st.floats(0, 500))
def test_the_keys_order_as_the_formula_does_between_whole_half_lives(
    seed: int, half_life: float, span: float
) -> None:
    units, question, importance, told = draw(seed, 40, span=span, half_life=half_life)
    similarity = units.astype(np.float64) @ question
    now = REFERENCE + half_life * SECONDS_A_DAY
    wanted = formula(similarity, importance, told, now, half_life)

    keys = order_keys(similarity, importance, half_lives(told, reference=now, half_life_days=half_life))

    rank_of = np.empty(len(told))
    rank_of[np.lexsort(keys[::-1])] = np.arange(len(told))
    assert_same_order(rank_of, wanted, np.abs(wanted) * float(ROUNDING))


@pytest.mark.parametrize("shift", [0.0, 20.0, -40.0], ids=["as made first", "moved on", "moved back"])
@given(seed=st.integers(0, 10_000), half_life=st.floats(0.01, 1000), span=st.floats(0, 40))
def test_the_decayed_vectors_order_as_the_formula_does_up_to_its_rounding(
    shift: float, seed: int, half_life: float, span: float
) -> None:
    """Before and after the reference moves, by any number of half-lives that float4 can hold."""
    units, question, importance, told = draw(seed, 40, span=span, half_life=half_life)
    reference = REFERENCE + shift * half_life * SECONDS_A_DAY
    wanted = formula(units.astype(np.float64) @ question, importance, told, reference, half_life)

    decayed = decayed_vectors(
        units, log_weights(importance, told, reference=reference, half_life_days=half_life)
    )
    products = decayed.astype(np.float64) @ question

    lengths = formula(np.ones(len(told)), importance, told, reference, half_life)
    assert_same_order(products, wanted, lengths * FLOAT4_ROUNDING)


def test_no_weight_is_too_large_for_float4() -> None:
    most = REFERENCE + MOST_HALF_LIVES * SECONDS_A_DAY
    weights = log_weights(np.ones(1), np.array([most]), reference=REFERENCE, half_life_days=1)

    assert np.isfinite(decayed_vectors(np.ones((1, 1), dtype=np.float32), weights)).all()


def test_what_is_too_small_for_float4_becomes_nothing() -> None:
    weights = log_weights(
        np.array([1.0, 0.0]),
        np.array([REFERENCE - 400 * SECONDS_A_DAY, REFERENCE]),
        reference=REFERENCE,
        half_life_days=1,
    )
    assert decayed_vectors(np.ones((2, 3), dtype=np.float32), weights).tolist() == [[0.0] * 3] * 2


def test_an_importance_of_nothing_ranks_between_the_signs() -> None:
    keys = order_keys(np.array([0.9, -0.9, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, -3.5, -9e9]))
    assert [key.tolist() for key in keys] == [[0.0] * 3] * 3
