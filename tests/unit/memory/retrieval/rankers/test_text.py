import math

import numpy as np
import pytest

from memory.retrieval.rankers.base import Candidates, Statistics
from memory.retrieval.rankers.neighbours import Neighbours
from memory.retrieval.rankers.text import (
    WORDS_AT_ONCE,
    idf_of,
    mean_length,
    spread_text_scores,
    text_scores,
)
from tests.unit.memory.retrieval.rankers.rows import Row, candidates, question

TEA = ("tea", "porto")


def test_how_rare_a_word_is_comes_from_all_active_rows_whatever_the_filters() -> None:
    rows = [Row({"tea": 1}, allowed=False), Row({"tea": 2}), Row({"porto": 1}, counted=False), Row()]

    idf = idf_of(candidates(rows, TEA), question(TEA))

    assert idf == pytest.approx([math.log(1 + 1.5 / 2.5), math.log(1 + 3.5 / 0.5)])


def test_the_mean_length_is_that_of_all_active_rows() -> None:
    rows = [Row(length=4, allowed=False), Row(length=8), Row(length=100, counted=False)]
    assert mean_length(candidates(rows)) == 6


def test_of_a_choice_from_many_the_figures_of_the_whole_count() -> None:
    rows = [Row({"tea": 1}, length=4)]
    whole = Statistics(rows=1000, documents=np.array([10.0, 2.0]), mean_length=20.0, mean_cosine=0.1)
    chosen = candidates(rows, TEA)
    few = Candidates(**{**{name: getattr(chosen, name) for name in chosen.__slots__}, "statistics": whole})

    assert idf_of(few, question(TEA)) == pytest.approx(
        [math.log(1 + 990.5 / 10.5), math.log(1 + 998.5 / 2.5)]
    )
    assert mean_length(few) == 20


def test_a_row_without_a_word_of_the_question_scores_nothing() -> None:
    scores = text_scores(candidates([Row({"tea": 1}), Row()], TEA), question(TEA))
    assert scores[0] > 0
    assert scores[1] == 0


def test_no_active_row_is_no_error() -> None:
    rows = candidates([Row({"tea": 1}, counted=False)], TEA)
    assert text_scores(rows, question(TEA))[0] > 0


def test_a_question_of_very_many_words_scores_as_if_its_words_were_asked_one_by_one() -> None:
    words = [f"word{number}" for number in range(WORDS_AT_ONCE * 2 + 3)]
    rows = [Row(dict.fromkeys(words[::2], 1), session=0), Row({words[-1]: 2}, session=0), Row(session=0)]
    asked = candidates(rows, words)
    near = Neighbours(asked.session, kernel=0.5, reach=1)

    together = spread_text_scores(asked, question(words), near)

    alone = [spread_text_scores(candidates(rows, [word]), question([word]), near) for word in words]
    assert together == pytest.approx(np.sum(alone, axis=0))


def test_without_neighbours_the_spread_words_are_the_rows_own() -> None:
    asked = candidates([Row({"tea": 1}), Row({"porto": 1})], TEA)
    near = Neighbours(asked.session, kernel=0.5, reach=2)
    assert (
        spread_text_scores(asked, question(TEA), near).tolist() == text_scores(asked, question(TEA)).tolist()
    )
