"""The ruler itself: it tells the square from the line."""

from tests.growth import MOST, growth


def squared(count: int) -> int:
    return sum(1 for _ in range(count) for _ in range(count))


def in_proportion(count: int) -> int:
    return sum(1 for _ in range(2000 * count))


def test_work_in_proportion_passes_and_its_square_does_not() -> None:
    assert growth(in_proportion, int, size=200) < MOST
    assert growth(squared, int, size=500) > MOST
