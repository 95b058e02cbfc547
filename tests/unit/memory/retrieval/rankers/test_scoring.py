import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory.retrieval.rankers.base import Counts, order_of
from memory.retrieval.rankers.scoring import (
    WORDS_AT_ONCE,
    Neighbours,
    bm25,
    fuse_ranks,
    idf_of,
    inverse_document_frequency,
    length_norm,
    similarities,
    spread_text_scores,
)
from tests.unit.memory.retrieval.rankers.rows import Row, candidates, question


def test_a_rare_word_counts_more_and_none_counts_against() -> None:
    rare, common, everywhere = inverse_document_frequency(np.array([1.0, 50.0, 100.0]), 100)
    assert rare > common > everywhere > 0
    assert rare == pytest.approx(np.log(1 + 99.5 / 1.5))


def test_a_text_of_the_mean_length_is_held_against_k1_and_a_longer_one_against_more() -> None:
    assert length_norm(np.array([10.0, 20.0, 0.0]), 10.0) == pytest.approx([1.2, 2.1, 0.3])


def test_counts_of_all_words_add_up_by_row() -> None:
    scores = bm25(
        row=np.array([0, 0, 2]),
        term=np.array([0, 1, 1]),
        count=np.array([1.0, 2.0, 1.0]),
        idf=np.array([2.0, 3.0]),
        norm=np.array([1.2, 1.2, 1.2]),
    )
    assert scores == pytest.approx([2 * 2.2 / 2.2 + 3 * 4.4 / 3.2, 0, 3 * 2.2 / 2.2])


TEA = ("tea", "porto")


def test_how_rare_a_word_is_comes_from_all_active_rows_whatever_the_filters() -> None:
    rows = [Row({"tea": 1}, allowed=False), Row({"tea": 2}), Row({"porto": 1}, counted=False), Row()]

    idf = idf_of(candidates(rows, TEA), question(TEA))

    assert idf == pytest.approx([math.log(1 + 1.5 / 2.5), math.log(1 + 3.5 / 0.5)])


def test_what_is_only_near_to_a_word_makes_it_no_commoner_but_stands_for_one_that_is_nowhere() -> None:
    rows = [Row({"tea": 1}), Row({"tea": 0.2}), Row({"porto": 0.2})]

    idf = idf_of(candidates(rows, TEA), question(TEA))

    assert idf == pytest.approx([math.log(1 + 2.5 / 1.5)] * 2)


def test_a_question_of_very_many_words_scores_as_if_its_words_were_asked_one_by_one() -> None:
    words = [f"word{number}" for number in range(WORDS_AT_ONCE * 2 + 3)]
    rows = [Row(dict.fromkeys(words[::2], 1), session=0), Row({words[-1]: 2}, session=0), Row(session=0)]
    asked = candidates(rows, words)
    near = Neighbours(asked.session, asked.told, kernel=0.5, reach=1)

    together = spread_text_scores(asked, question(words), near)

    alone = [spread_text_scores(candidates(rows, [word]), question([word]), near) for word in words]
    assert together == pytest.approx(np.sum(alone, axis=0))


def test_a_row_without_a_vector_is_as_near_as_its_words_say() -> None:
    rows = [Row(cosine=0.8), Row({"tea": 1}), Row()]
    assert similarities(candidates(rows, TEA), question(TEA)) == pytest.approx([0.8, 0.8, 0.0])


def test_where_every_row_has_a_vector_words_count_for_nothing() -> None:
    rows = [Row({"tea": 3}, cosine=0.1), Row(cosine=0.2)]
    assert similarities(candidates(rows, TEA), question(TEA)).tolist() == [0.1, 0.2]


def test_words_of_a_row_without_a_vector_never_count_below_nothing() -> None:
    rows = [Row(cosine=-0.5), Row({"tea": 1})]
    assert similarities(candidates(rows, TEA), question(TEA)).tolist() == [-0.5, 0.0]


def test_a_value_fades_with_the_distance_and_ends_at_the_reach() -> None:
    near = Neighbours(np.zeros(5, dtype=np.int64), np.zeros(5), kernel=0.5, reach=2)
    assert near.spread(np.array([1.0, 0, 0, 0, 0])).tolist() == [1, 0.5, 0.25, 0, 0]


def test_sessions_that_go_on_at_the_same_time_keep_their_own_neighbours() -> None:
    near = Neighbours(np.array([0, 1, 0, 1]), np.zeros(4), kernel=0.5, reach=2)
    assert near.spread(np.array([1.0, 0, 0, 0])).tolist() == [1, 0, 0.5, 0]


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 9000)), min_size=1, max_size=30), st.data())
def test_counts_of_few_rows_are_spread_as_a_whole_column_is(
    told: list[tuple[int, int]], data: st.DataObject
) -> None:
    sessions, times = zip(*told, strict=True)
    near = Neighbours(np.array(sessions), np.cumsum(times, dtype=np.float64), kernel=0.6, reach=4)
    assume(not near.alone)
    column = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, 3.0]), min_size=len(told), max_size=len(told)))
    )
    rows = np.flatnonzero(column)

    found = near.spread_counts(Counts(row=rows, term=np.ones_like(rows), count=column[rows]), 3)

    spread = np.zeros(len(told))
    spread[found.row] = found.count
    assert spread == pytest.approx(near.spread(column))
    assert set(found.term.tolist()) <= {1}


def test_rows_of_no_session_have_no_neighbours() -> None:
    near = Neighbours(np.array([-1, -1]), np.zeros(2), kernel=0.5, reach=2)
    assert near.spread(np.array([1.0, 0])).tolist() == [1, 0]
    mixed = Neighbours(np.array([-1, -1, 0, 0]), np.zeros(4), kernel=0.5, reach=2)
    assert mixed.spread(np.array([1.0, 0, 1, 0])).tolist() == [1, 0, 1, 0.5]


def test_a_mean_leaves_out_what_is_not_there_and_makes_up_nothing() -> None:
    near = Neighbours(np.zeros(3, dtype=np.int64), np.zeros(3), kernel=0.5, reach=1)
    mean = near.mean(np.array([1.0, np.nan, 4.0]))
    assert mean[[0, 2]].tolist() == [1.0, 4.0]
    assert np.isnan(mean[1])
    assert near.mean(np.array([1.0, 4.0, 1.0])) == pytest.approx([2.0, 2.5, 2.0])


def test_the_best_come_first_and_of_equals_the_later() -> None:
    assert order_of(np.array([0.5, 0.9, 0.5, 0.1])).tolist() == [1, 2, 0, 3]


def test_what_is_equal_by_the_first_score_goes_by_the_second() -> None:
    first, second = np.array([0.0, 0.9, 0.0, 0.0]), np.array([2.0, 1.0, 3.0, 2.0])
    assert order_of(first, second).tolist() == [1, 2, 3, 0]


def test_each_list_gives_by_rank_and_what_it_does_not_hold_gets_nothing() -> None:
    first, second = fuse_ranks([np.array([3.0, 1.0, np.nan]), np.array([np.nan, np.nan, 7.0])])
    assert first == pytest.approx([1 / 61, 1 / 62, 0])
    assert second == pytest.approx([0, 0, 1 / 61])


def test_what_is_said_after_a_pause_is_less_of_a_neighbour() -> None:
    near = Neighbours(np.zeros(4, dtype=np.int64), np.array([0, 60, 7260, 9e6]), kernel=0.5, reach=1)

    given = near.spread(np.array([0.0, 1.0, 0.0, 0.0]))

    assert given[0] == pytest.approx(0.5, abs=0.01)
    assert given[2] == pytest.approx(0.25, abs=0.01)
    assert near.spread(np.array([0.0, 0.0, 1.0, 0.0]))[3] < 0.001
