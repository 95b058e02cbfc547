from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.configuration import Retrieval
from memory.retrieval.rankers.base import Candidates, Counts, Question, Scores
from memory.retrieval.rankers.decay import DecayRanker

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
DAY = 86_400

Row = tuple[float, float, int]  # cosine, importance, age in half-lives of a day


def rank(rows: list[Row], *, half_life_days: float = 1) -> Scores:
    cosine, importance, age = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    told = NOW.timestamp() - age * DAY * half_life_days
    count, none = len(rows), np.zeros(0, dtype=np.int64)
    candidates = Candidates(
        told=told,
        touched=told,
        length=np.ones(count),
        session=np.full(count, -1),
        named=np.zeros(count, dtype=np.bool_),
        cosine=cosine,
        importance=importance,
        weight=np.ones(count),
        counted=np.ones(count, dtype=np.bool_),
        allowed=np.ones(count, dtype=np.bool_),
        counts=Counts(none, none, np.zeros(0)),
    )
    question = Question(0, Retrieval(embedder="offline", ranker="decay", half_life_days=half_life_days))
    return DecayRanker().rank(candidates, question, NOW)


rows = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(0, 1), st.integers(0, 100_000)), min_size=2, max_size=30
)


@given(rows)
def test_the_order_is_that_of_the_formula_to_the_last_place(rows: list[Row]) -> None:
    """Whole half-lives, so that the formula can be reckoned without any rounding; more of them than a float holds."""
    ranked = rank(rows).best_first(np.arange(len(rows)))
    exact = [Fraction(cosine) * Fraction(importance) / 2**age for cosine, importance, age in rows]

    for better, worse in pairwise(exact[row] for row in ranked):
        # Two roundings in each product: what differs by less is a tie.
        assert better >= worse - Fraction(4, 2**52) * max(abs(better), abs(worse))


def test_what_is_too_old_for_a_score_is_still_ordered_by_similarity() -> None:
    scores = rank([(0.9, 1.0, 1500), (0.3, 1.0, 1500), (0.5, 1.0, 1499)], half_life_days=0.5)
    assert scores.total.tolist() == [0.0, 0.0, 0.0]
    assert scores.best_first(np.arange(3)).tolist() == [2, 0, 1]


def test_each_half_life_halves_the_score() -> None:
    scores = rank([(0.8, 0.5, 0), (0.8, 0.5, 1), (0.8, 0.5, 2)], half_life_days=30)
    assert scores.total.tolist() == [0.4, 0.2, 0.1]
    assert {name: part[1] for name, part in scores.parts.items()} == {
        "similarity": 0.8,
        "importance": 0.5,
        "recency": 0.5,
    }


def test_a_negative_similarity_ranks_lower_the_more_it_weighs() -> None:
    totals = rank([(-0.5, 1.0, 0), (-0.5, 1.0, 5), (-0.5, 0.0, 0)]).total
    assert totals[0] < totals[1] < totals[2] == 0


def test_what_has_no_vector_is_not_found() -> None:
    scores = rank([(float("nan"), 1.0, 0), (0.1, 1.0, 0)])
    assert scores.kept.tolist() == [False, True]
    assert np.isfinite(scores.total).all()
