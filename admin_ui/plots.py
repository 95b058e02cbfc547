"""Bars and lines as an SVG's numbers. Pure; the templates draw them, and a table beside says the same in figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from admin_ui.words import grouped

WIDTH, HEIGHT = 560, 120  # of the drawing, in its own units
GAP = 4
ROUND = (1, 2, 4, 6, 8, 10)  # what an axis ends with, times a power of ten: the half is round, too
BAD = ("failed", "deleted")  # series in red


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar: its place from the top, and the colour of its series."""

    series: int | str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a stack. `says`: label and figures, for who can't see it or points at it."""

    x: float
    width: float
    label: str
    says: str
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class Plot:
    """Stacked bars. `series` are their names, `top` where the axis ends."""

    series: Sequence[str]
    bars: Sequence[Bar]
    top: float
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def legend(self) -> Sequence[tuple[str, int | str]]:
        """The series' names with their colours."""
        return [(name, _colour(number, name)) for number, name in enumerate(self.series)]

    @property
    def scale(self) -> Sequence[str]:
        """What the axis says: from the top down."""
        return [_figure(self.top), _figure(self.top / 2), "0"]

    @property
    def places(self) -> Sequence[str]:
        """What stands below: the first, the middle and the last bar's label."""
        labels = [bar.label for bar in self.bars]
        return [labels[0], labels[len(labels) // 2], labels[-1]] if len(labels) > 2 else labels

    @property
    def middle(self) -> float:
        return self.height / 2

    @property
    def empty(self) -> bool:
        return not self.top


def stacked_bars(labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> Plot:
    """One bar a label; `series` maps each name to as many numbers, none below zero."""
    sums = [sum(values) for values in zip(*series.values(), strict=True)]
    top = _end_of_axis(max(sums, default=0))
    width = (WIDTH + GAP) / max(1, len(labels)) - GAP
    bars = []
    for place, label in enumerate(labels):
        at, segments = float(HEIGHT), []
        for number, (name, values) in enumerate(series.items()):
            height = values[place] / top * HEIGHT if top else 0.0
            at -= height
            if height:
                segments.append(Segment(_colour(number, name), round(at, 2), round(height, 2)))
        figures = ", ".join(f"{_figure(values[place])} {name}" for name, values in series.items())
        bars.append(
            Bar(round(place * (width + GAP), 2), round(width, 2), label, f"{label}: {figures}", segments)
        )
    return Plot(list(series), bars, top)


def _colour(number: int, name: str) -> int | str:
    return "bad" if name in BAD else number


def _end_of_axis(highest: float) -> float:
    if highest == int(highest) and highest <= 2:
        return 2.0 if highest else 0.0
    power = 10.0 ** math.floor(math.log10(highest))
    return next((step * power for step in ROUND if step * power >= highest), highest)


def _figure(number: float) -> str:
    """Whole and large numbers in groups of three digits, others to four digits."""
    whole = number == int(number) or number >= 1000
    return grouped(round(number)) if whole else f"{number:.4g}"
