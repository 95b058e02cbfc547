import numpy as np
import pytest

from memory.retrieval.rankers.neighbours import Neighbours


def test_a_value_fades_with_the_distance_and_ends_at_the_reach() -> None:
    near = Neighbours(np.zeros(5, dtype=np.int64), kernel=0.5, reach=2)
    assert near.spread(np.array([1.0, 0, 0, 0, 0])).tolist() == [1, 0.5, 0.25, 0, 0]


def test_sessions_that_go_on_at_the_same_time_keep_their_own_neighbours() -> None:
    near = Neighbours(np.array([0, 1, 0, 1]), kernel=0.5, reach=2)
    assert near.spread(np.array([1.0, 0, 0, 0])).tolist() == [1, 0, 0.5, 0]


def test_a_table_is_spread_row_by_row() -> None:
    near = Neighbours(np.array([0, 0]), kernel=0.5, reach=2)
    assert near.spread(np.array([[1.0, 0], [0, 2.0]])).tolist() == [[1, 0.5], [1, 2]]


def test_rows_of_no_session_have_no_neighbours() -> None:
    near = Neighbours(np.array([-1, -1]), kernel=0.5, reach=2)
    assert near.spread(np.array([1.0, 0])).tolist() == [1, 0]
    mixed = Neighbours(np.array([-1, -1, 0, 0]), kernel=0.5, reach=2)
    assert mixed.spread(np.array([1.0, 0, 1, 0])).tolist() == [1, 0, 1, 0.5]


def test_a_mean_leaves_out_what_is_not_there_and_makes_up_nothing() -> None:
    near = Neighbours(np.zeros(3, dtype=np.int64), kernel=0.5, reach=1)
    mean = near.mean(np.array([1.0, np.nan, 4.0]))
    assert mean[[0, 2]].tolist() == [1.0, 4.0]
    assert np.isnan(mean[1])
    assert near.mean(np.array([1.0, 4.0, 1.0])) == pytest.approx([2.0, 2.5, 2.0])


def test_no_rows_are_no_error() -> None:
    near = Neighbours(np.zeros(0, dtype=np.int64), kernel=0.5, reach=2)
    assert near.spread(np.zeros(0)).tolist() == []
