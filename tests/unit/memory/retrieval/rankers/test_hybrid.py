import pytest
from hypothesis import given

from memory.retrieval.rankers.hybrid import HybridRanker
from memory.retrieval.rankers.text import text_scores
from tests.unit.memory.retrieval.rankers.rows import NOW, WORDS, Row, candidates, drawn_rows, question


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


def test_without_vectors_it_is_the_ranking_by_words() -> None:
    rows = [Row({"tea": 1}), Row({"tea": 3}), Row()]
    scores = HybridRanker().rank(candidates(rows, WORDS), question(WORDS), NOW)
    assert scores.total.tolist() == pytest.approx([1 / 62, 1 / 61, 0])
