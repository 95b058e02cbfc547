import numpy as np

from benchmarks.recall.bootstrap import interval


def test_an_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    values = np.array([0.0, 1.0] * 50)
    first = interval(values)
    assert first.mean == 0.5
    assert 0.35 < first.low < 0.5 < first.high < 0.65
    assert interval(values) == first


def test_where_all_agree_there_is_no_doubt() -> None:
    assert interval(np.ones(10)) == (1.0, 1.0, 1.0)
