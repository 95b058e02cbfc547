from itertools import count

from benchmarks.timing import Spread, percentile, spread, time_calls


def test_the_spread_of_rounds_is_their_middle_and_their_ends() -> None:
    assert spread([4.0, 1.0, 9.0]) == Spread(middle=4.0, low=1.0, high=9.0)


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(value) for value in range(100, 0, -1)]

    assert [percentile(values, share) for share in (0.0, 0.5, 0.99, 1.0)] == [1.0, 51.0, 100.0, 100.0]
    assert percentile([7.0], 0.99) == 7.0


def test_calls_take_turns_and_the_warm_up_does_not_count() -> None:
    order, numbers = [], count()

    def first() -> None:
        order.append(("first", next(numbers)))

    def second() -> None:
        order.append(("second", next(numbers)))

    taken = time_calls(first, second, times=20)

    assert [name for name, _ in order] == ["first", "second"] * 22
    assert [len(milliseconds) for milliseconds in taken] == [20, 20]
