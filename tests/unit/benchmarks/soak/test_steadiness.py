import pytest

from benchmarks.soak.steadiness import by_slice, steadiness


def test_what_stays_as_it_is_has_no_slope() -> None:
    steady = steadiness([(float(at), 5.0) for at in range(100)])

    assert steady == pytest.approx((5.0, 5.0, 0.0))
    assert steady.ratio == 1


def test_what_grows_is_seen_by_its_quarters_and_its_slope() -> None:
    steady = steadiness([(float(at), 10 + at / 36) for at in range(101)])

    assert steady.slope == pytest.approx(100)  # an hour
    assert steady.first < 11 < 12.5 > steady.last > 12
    assert steady.ratio > 1.1


def test_quarters_are_of_time_and_not_of_count() -> None:
    crowded = [(number / 100, 1.0) for number in range(100)]

    assert steadiness([*crowded, (90.0, 3.0), (100.0, 3.0)]).last == 3.0


def test_one_odd_value_does_not_move_a_slice() -> None:
    points = [(0.0, 1.0), (1.0, 1.0), (2.0, 99.0), (11.0, 2.0)]

    assert by_slice(points, seconds=10) == [(5.0, 1.0), (15.0, 2.0)]
