from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.configuration import Retrieval
from memory.retrieval.rankers.base import Candidates, Counts, Question, Scores
from memory.retrieval.rankers.formulas import CosineRanker, DecayRanker, HybridRanker, ImportanceRanker
from memory.retrieval.rankers.scoring import text_scores
from tests.unit.memory.retrieval.rankers.rows import NOW, WORDS, Row, candidates, drawn_rows, question


def test_the_score_is_the_cosine() -> None:
    rows = [Row(cosine=0.3), Row(cosine=-0.2), Row(cosine=0.9)]
    scores = CosineRanker().rank(candidates(rows), question(), NOW)
    assert scores.total.tolist() == [0.3, -0.2, 0.9]
    assert scores.parts["similarity"].tolist() == scores.total.tolist()
    assert scores.kept.all()


@given(drawn_rows(sessions=False))
def test_the_score_is_the_sum_of_reciprocal_ranks(rows: list[Row]) -> None:
    rows = [Row(**{**vars(row), "counted": True}) for row in rows]
    given_rows = candidates(rows, WORDS)
    scores = HybridRanker().rank(given_rows, question(WORDS), NOW)

    text = text_scores(given_rows, question(WORDS)).tolist()
    by_text = {place: text[place] for place in range(len(rows)) if text[place] > 0}
    by_cosine = {place: row.cosine for place, row in enumerate(rows) if row.cosine is not None}
    expected = [0.0] * len(rows)
    for ranking in (by_text, by_cosine):
        best_first = sorted(ranking, key=lambda place: (-ranking[place], -place))
        for rank, place in enumerate(best_first, start=1):
            expected[place] += 1 / (60 + rank)
    assert scores.total == pytest.approx(expected)
    assert scores.kept.tolist() == [score > 0 for score in expected]


@given(drawn_rows(sessions=False))
def test_the_score_is_the_published_product(rows: list[Row]) -> None:
    embedded = [Row(**{**vars(row), "cosine": row.cosine or 0.25}) for row in rows]

    scores = ImportanceRanker().rank(candidates(embedded), question(embedder="offline"), NOW)

    assert scores.total == pytest.approx(
        [(row.cosine or 0) * row.importance * row.weight * 0.995 ** (row.age * 24) for row in embedded]
    )


def test_an_access_keeps_it_fresh() -> None:
    rows = [Row(cosine=0.5, age=100), Row(cosine=0.5, age=100, untouched=0)]
    scores = ImportanceRanker().rank(candidates(rows), question(embedder="offline"), NOW)
    assert scores.parts["recency"][1] == 1.0
    assert scores.total[0] < scores.total[1]


def test_only_the_nearest_that_pass_the_filters_are_ranked() -> None:
    rows = [
        Row(cosine=0.9, allowed=False),
        Row(cosine=0.8, importance=0.1),
        Row(cosine=0.7),
        Row(cosine=0.6, importance=1.0),
    ]
    scores = ImportanceRanker().rank(candidates(rows), question(embedder="offline", candidates=2), NOW)
    assert scores.kept.tolist() == [False, True, True, False]


def test_what_scores_below_the_floor_is_left_out() -> None:
    rows = [Row(cosine=0.9, importance=0.5), Row(cosine=0.9, importance=0.1)]
    scores = ImportanceRanker().rank(candidates(rows), question(embedder="offline", saliency_floor=0.2), NOW)
    assert scores.kept.tolist() == [True, False]


def test_something_told_in_the_future_gains_nothing_by_it() -> None:
    scores = ImportanceRanker().rank(
        candidates([Row(cosine=0.5, age=-10)]), question(embedder="offline"), NOW
    )
    assert scores.total.tolist() == [0.5]


DAY = 86_400

DecayRow = tuple[float, float, int]  # cosine, importance, age in half-lives of a day


def rank(rows: list[DecayRow], *, half_life_days: float = 1) -> Scores:
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


decay_rows = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(0, 1), st.integers(0, 100_000)), min_size=2, max_size=30
)


@given(decay_rows)
def test_the_order_is_that_of_the_formula_to_the_last_place(rows: list[DecayRow]) -> None:
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
