"""Values and events over time as places on a line, in per cent of its length. Pure; the templates draw them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

SHORTEST = timedelta(days=14)  # of a line
MARGIN = 0.04  # of its length, kept free at either end
DOT = 3.6  # per cent that a dot takes on the narrowest screen
MOST_LANES = 6


@dataclass(frozen=True, slots=True)
class Stretch:
    """A value from `begins` until `ends`; None: until now and on."""

    entry_id: UUID
    text: str
    begins: datetime
    ends: datetime | None


@dataclass(frozen=True, slots=True)
class Lifeline:
    """What one thing was, one after the other: `about` whom (empty: the person); `name`: its key, or its type."""

    about: str
    name: str
    keyed: bool
    stretches: Sequence[Stretch]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens or happened. `told`: when, as exactly as it was said."""

    entry_id: UUID
    text: str
    told: str
    begins: datetime
    ends: datetime
    ended: bool  # the entry no longer counts


@dataclass(frozen=True, slots=True)
class Axis:
    begins: datetime
    ends: datetime
    now: datetime

    def at(self, moment: datetime) -> float:
        """Per cent from the left; what lies outside stands at the end that is nearer."""
        share = (moment - self.begins) / (self.ends - self.begins)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def today(self) -> float:
        return self.at(self.now)

    @property
    def places(self) -> Sequence[datetime]:
        """The beginning, the middle and the end."""
        return [self.begins, self.begins + (self.ends - self.begins) / 2, self.ends]


@dataclass(frozen=True, slots=True)
class Bar:
    """One stretch as drawn; `lane` from 0, as two values may hold at once."""

    stretch: Stretch
    x: float
    width: float
    lane: int
    colour: int


@dataclass(frozen=True, slots=True)
class Row:
    lifeline: Lifeline
    bars: Sequence[Bar]
    lanes: int

    @property
    def height(self) -> int:
        """Pixels."""
        return 30 * self.lanes


@dataclass(frozen=True, slots=True)
class Dot:
    event: Event
    x: float
    lane: int


def axis_of(
    spans: Iterable[tuple[datetime, datetime | None]], *, now: datetime, reach: timedelta | None = None
) -> Axis:
    """From the first of them to the last, and to now. What is further from now than `reach` doesn't stretch it."""
    furthest = reach or timedelta.max
    near = [(begins, ends or now) for begins, ends in spans if abs(begins - now) <= furthest]
    begins = min([now, *(begins for begins, _ in near)])
    ends = max([now, *(ends if abs(ends - now) <= furthest else begins for begins, ends in near)])
    if ends - begins < SHORTEST:
        begins = ends - SHORTEST
    margin = (ends - begins) * MARGIN
    return Axis(begins - margin, ends + margin, now)


def rows_of(lifelines: Sequence[Lifeline], axis: Axis) -> list[Row]:
    rows = []
    for line in lifelines:
        taken: list[float] = []
        bars = []
        for place, stretch in enumerate(sorted(line.stretches, key=lambda stretch: stretch.begins)):
            x, end = axis.at(stretch.begins), axis.at(stretch.ends or axis.ends)
            lane = _lane(taken, x)
            taken[lane] = max(end, x)
            bars.append(Bar(stretch, x, round(max(end - x, 0.6), 2), lane, place % 6))
        rows.append(Row(line, bars, max(1, len(taken))))
    return rows


def dots_of(events: Sequence[Event], axis: Axis) -> tuple[list[Dot], int]:
    """Each event on the line, those that would hide one another below one another; and how many lanes they take."""
    taken: list[float] = []
    dots = []
    for event in sorted(events, key=lambda event: event.begins):
        x = axis.at(event.begins)
        lane = _lane(taken, x)
        taken[lane] = x + DOT
        dots.append(Dot(event, x, lane))
    return dots, len(taken)


def _lane(taken: list[float], x: float) -> int:
    """The first lane that is free from `x` on: a new one, or, where there are enough, the one that is free first."""
    free = next((lane for lane, until in enumerate(taken) if until <= x), None)
    if free is None and len(taken) < MOST_LANES:
        taken.append(0.0)
        return len(taken) - 1
    return taken.index(min(taken)) if free is None else free
