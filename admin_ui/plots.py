"""Stacked bar charts as coordinates for an SVG, which the template `_plot.html` draws. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from admin_ui.words import grouped

WIDTH, HEIGHT = 560, 120  # in units of the SVG
GAP = 4
AXIS_ENDS = (1, 2, 4, 6, 8, 10)  # times a power of ten, so that half of it is a round number, too
BAD = ("failed", "deleted")  # series in red


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar. `y`: from the top; `series`: the series' colour, its number or "bad"."""

    series: int | str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A stacked bar. `description`: label and figures, for screen readers and tooltips."""

    x: float
    width: float
    label: str
    description: str
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart of stacked bars. `series`: their names; `top`: the end of the y axis."""

    series: Sequence[str]
    bars: Sequence[Bar]
    top: float
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def legend(self) -> Sequence[tuple[str, int | str]]:
        """The names of the series with their colours."""
        return [(name, _colour(number, name)) for number, name in enumerate(self.series)]

    @property
    def y_labels(self) -> Sequence[str]:
        """From the top down."""
        return [_figure(self.top), _figure(self.top / 2), "0"]

    @property
    def x_labels(self) -> Sequence[str]:
        """Of the first, the middle and the last bar."""
        labels = [bar.label for bar in self.bars]
        return [labels[0], labels[len(labels) // 2], labels[-1]] if len(labels) > 2 else labels

    @property
    def middle(self) -> float:
        return self.height / 2

    @property
    def empty(self) -> bool:
        return not self.top


def stacked_bars(labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> Plot:
    """Make a chart with a bar for each label. `series`: for each name as many numbers, none negative."""
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
    return next((end * power for end in AXIS_ENDS if end * power >= highest), highest)


def _figure(number: float) -> str:
    """Format whole and large numbers in groups of three digits, others with four significant digits."""
    whole = number == int(number) or number >= 1000
    return grouped(round(number)) if whole else f"{number:.4g}"
