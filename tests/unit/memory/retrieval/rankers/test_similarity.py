import pytest

from memory.retrieval.rankers.similarity import similarities
from tests.unit.memory.retrieval.rankers.rows import Row, candidates, question

TEA = ("tea",)


def test_a_row_without_a_vector_is_as_near_as_its_words_say() -> None:
    rows = [Row(cosine=0.8), Row({"tea": 1}), Row()]
    assert similarities(candidates(rows, TEA), question(TEA)) == pytest.approx([0.8, 0.8, 0.0])


def test_where_every_row_has_a_vector_words_count_for_nothing() -> None:
    rows = [Row({"tea": 3}, cosine=0.1), Row(cosine=0.2)]
    assert similarities(candidates(rows, TEA), question(TEA)).tolist() == [0.1, 0.2]


def test_words_of_a_row_without_a_vector_never_count_below_nothing() -> None:
    rows = [Row(cosine=-0.5), Row({"tea": 1})]
    assert similarities(candidates(rows, TEA), question(TEA)).tolist() == [-0.5, 0.0]
