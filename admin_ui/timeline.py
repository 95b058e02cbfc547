"""Values and events over time as coordinates on an axis, in per cent of its length, which templates draw. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

SHORTEST = timedelta(days=14)  # axis
MARGIN = 0.04  # at both ends, as a share of the axis
DOT_WIDTH = 3.6  # per cent of the axis on the narrowest screen
MOST_LANES = 6


@dataclass(frozen=True, slots=True)
class Span:
    """A value from `begins` until `ends`, None if it is still valid."""

    entry_id: UUID
    text: str
    begins: datetime
    ends: datetime | None


@dataclass(frozen=True, slots=True)
class ValueHistory:
    """The values of a key, or of an entry. `about`: the subject, empty for the user; `name`: the key or type."""

    about: str
    name: str
    keyed: bool
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Event:
    """An entry with a date. `told`: the date as it was said, such as "2026-05"."""

    entry_id: UUID
    text: str
    told: str
    begins: datetime
    ends: datetime
    ended: bool  # the entry is no longer active


@dataclass(frozen=True, slots=True)
class Axis:
    begins: datetime
    ends: datetime
    now: datetime

    def at(self, moment: datetime) -> float:
        """Return per cent from the left, between 0 and 100."""
        share = (moment - self.begins) / (self.ends - self.begins)
        return round(100 * min(1.0, max(0.0, share)), 2)

    @property
    def today(self) -> float:
        return self.at(self.now)

    @property
    def ticks(self) -> Sequence[datetime]:
        """The beginning, the middle and the end."""
        return [self.begins, self.begins + (self.ends - self.begins) / 2, self.ends]


@dataclass(frozen=True, slots=True)
class Bar:
    """A drawn span. `lane`: its line from the top, from 0; values of the same time are on different lanes."""

    span: Span
    x: float
    width: float
    lane: int
    colour: int


@dataclass(frozen=True, slots=True)
class Row:
    history: ValueHistory
    bars: Sequence[Bar]
    lanes: int

    @property
    def height(self) -> int:
        """In pixels."""
        return 30 * self.lanes


@dataclass(frozen=True, slots=True)
class Dot:
    event: Event
    x: float
    lane: int


def axis_of(
    spans: Iterable[tuple[datetime, datetime | None]], *, now: datetime, reach: timedelta | None = None
) -> Axis:
    """Return an axis with all spans and now on it. Times further from now than `reach` do not extend it."""
    furthest = reach or timedelta.max
    near = [(begins, ends or now) for begins, ends in spans if abs(begins - now) <= furthest]
    begins = min([now, *(begins for begins, _ in near)])
    ends = max([now, *(ends if abs(ends - now) <= furthest else begins for begins, ends in near)])
    if ends - begins < SHORTEST:
        begins = ends - SHORTEST
    margin = (ends - begins) * MARGIN
    return Axis(begins - margin, ends + margin, now)


def rows_of(lifelines: Sequence[ValueHistory], axis: Axis) -> list[Row]:
    rows = []
    for line in lifelines:
        taken: list[float] = []
        bars = []
        for place, span in enumerate(sorted(line.spans, key=lambda span: span.begins)):
            x, end = axis.at(span.begins), axis.at(span.ends or axis.ends)
            lane = _free_lane(taken, x)
            taken[lane] = max(end, x)
            bars.append(Bar(span, x, round(max(end - x, 0.6), 2), lane, place % 6))
        rows.append(Row(line, bars, max(1, len(taken))))
    return rows


def dots_of(events: Sequence[Event], axis: Axis) -> tuple[list[Dot], int]:
    """Place the events on the axis, overlapping ones on different lanes. Also return the number of lanes."""
    taken: list[float] = []
    dots = []
    for event in sorted(events, key=lambda event: event.begins):
        x = axis.at(event.begins)
        lane = _free_lane(taken, x)
        taken[lane] = x + DOT_WIDTH
        dots.append(Dot(event, x, lane))
    return dots, len(taken)


def _free_lane(taken: list[float], x: float) -> int:
    """Return the first lane that is free at `x`, else a new one, or with MOST_LANES the one that is free first.

    `taken`: the end of the last item on each lane; a new lane is added.
    """
    free = next((lane for lane, until in enumerate(taken) if until <= x), None)
    if free is None and len(taken) < MOST_LANES:
        taken.append(0.0)
        return len(taken) - 1
    return taken.index(min(taken)) if free is None else free
