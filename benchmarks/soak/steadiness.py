"""Whether something stays as it is: the first quarter beside the last, and the slope. Pure."""

from collections.abc import Sequence
from statistics import linear_regression, median
from typing import NamedTuple

from benchmarks.timing import percentile

Points = Sequence[tuple[float, float]]  # seconds from the beginning, value


class Steadiness(NamedTuple):
    """`slope`: of a straight line through all points, in the value's unit an hour."""

    first: float
    last: float
    slope: float

    @property
    def ratio(self) -> float:
        return self.last / self.first if self.first else 1.0


def steadiness(points: Points, *, share: float = 0.5) -> Steadiness:
    """Of the values' percentile `share` in each quarter of the time. At least two points, not all at once."""
    begin, end = min(at for at, _ in points), max(at for at, _ in points)
    quarter = (end - begin) / 4
    first = [value for at, value in points if at <= begin + quarter]
    last = [value for at, value in points if at >= end - quarter]
    slope = linear_regression([at for at, _ in points], [value for _, value in points]).slope * 3600
    return Steadiness(percentile(first, share), percentile(last, share), slope)


def by_slice(points: Points, *, seconds: float) -> list[tuple[float, float]]:
    """The median of each slice of time, at its middle."""
    slices: dict[int, list[float]] = {}
    for at, value in points:
        slices.setdefault(int(at // seconds), []).append(value)
    return [((place + 0.5) * seconds, median(values)) for place, values in sorted(slices.items())]
