"""Bars and lines as an SVG's numbers. Pure; the templates draw them, and a table beside says the same in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 560, 120  # of the drawing, in its own units
GAP = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar: its place from the top, and which series it is of."""

    series: int
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
    """Stacked bars. `series` are their names, `top` the highest sum."""

    series: Sequence[str]
    bars: Sequence[Bar]
    top: float
    width: int = WIDTH
    height: int = HEIGHT

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
    top = max(sums, default=0)
    width = (WIDTH + GAP) / max(1, len(labels)) - GAP
    bars = []
    for place, label in enumerate(labels):
        at, segments = float(HEIGHT), []
        for number, values in enumerate(series.values()):
            height = values[place] / top * HEIGHT if top else 0.0
            at -= height
            if height:
                segments.append(Segment(number, round(at, 2), round(height, 2)))
        figures = ", ".join(f"{_figure(values[place])} {name}" for name, values in series.items())
        bars.append(
            Bar(round(place * (width + GAP), 2), round(width, 2), label, f"{label}: {figures}", segments)
        )
    return Plot(list(series), bars, top)


def _figure(number: float) -> str:
    """Whole and large numbers in groups of three digits, others to four digits."""
    whole = number == int(number) or number >= 1000
    return f"{number:,.0f}".replace(",", "\u202f") if whole else f"{number:.4g}"
