import pytest
from hypothesis import given

from memory.retrieval.rankers.importance import ImportanceRanker
from tests.unit.memory.retrieval.rankers.rows import NOW, Row, candidates, drawn_rows, question


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
