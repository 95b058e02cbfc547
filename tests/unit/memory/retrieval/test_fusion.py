import numpy as np
import pytest

from memory.retrieval.fusion import fuse_ranks, order_of


def test_the_best_come_first_and_of_equals_the_later() -> None:
    assert order_of(np.array([0.5, 0.9, 0.5, 0.1])).tolist() == [1, 2, 0, 3]


def test_what_is_equal_by_the_first_score_goes_by_the_second() -> None:
    first, second = np.array([0.0, 0.9, 0.0, 0.0]), np.array([2.0, 1.0, 3.0, 2.0])
    assert order_of(first, second).tolist() == [1, 2, 3, 0]


def test_each_list_gives_by_rank_and_what_it_does_not_hold_gets_nothing() -> None:
    first, second = fuse_ranks([np.array([3.0, 1.0, np.nan]), np.array([np.nan, np.nan, 7.0])])
    assert first == pytest.approx([1 / 61, 1 / 62, 0])
    assert second == pytest.approx([0, 0, 1 / 61])


def test_a_smaller_constant_favours_the_first() -> None:
    (given,) = fuse_ranks([np.array([2.0, 1.0])], k=1)
    assert given == pytest.approx([1 / 2, 1 / 3])
