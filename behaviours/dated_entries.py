"""Which entries happen on a day, counted from today in a person's time zone."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from heapq import nsmallest
from typing import NamedTuple, Self
from uuid import UUID

from django.db.models import Q

from behaviours.configuration import HappensCondition
from memory.entries.happens import day_of, plan_is_over, span_of, told_as
from memory.entries.snapshots import Line
from memory.models import ScratchpadEntry, Tier
from relationships.text_names import folded

MOST = 20  # entries of one day that a condition finds
_BESIDE = range(-2, 3)  # days that one moment may have in two zones, as an offset is less than a day
_DAY_LENGTH = len("2026-03-02")
_SECOND = timedelta(seconds=1)


class DatedEntry(NamedTuple):
    """An entry with a date, in the form in which it is kept."""

    id: UUID
    type: str
    content: str
    happens_at: str
    told_at: datetime

    @classmethod
    def of_line(cls, line: Line) -> Self:
        """From a line of the snapshot that has a date."""
        entry_id, type_, content, more, told = line
        return cls(UUID(entry_id), type_, content, more["happens_at"], datetime.fromtimestamp(told, UTC))

    def variables(self, timezone: str) -> dict[str, str]:
        """What a template may use."""
        happens_at = told_as(self.happens_at, timezone)
        return {"type": self.type, "content": folded(self.content), "happens_at": happens_at}


def happening(
    entries: Iterable[DatedEntry], asked: HappensCondition, *, now: datetime, timezone: str
) -> list[DatedEntry]:
    """Those that meet the condition, the earliest first; at most MOST. A date less exact than a day meets none."""
    day = _day(asked, now=now, timezone=timezone).isoformat()
    found = (
        entry
        for entry in entries
        if (not asked.types or entry.type in asked.types) and _is_on(entry, day, asked.days, now, timezone)
    )
    return nsmallest(MOST, found, key=lambda one: (span_of(one.happens_at, timezone).begins, one.id))


def entries_near(
    relationship_id: UUID,
    asked: HappensCondition,
    *,
    now: datetime,
    timezone: str,
    tiers: Iterable[str] = Tier.values,
) -> Iterator[DatedEntry]:
    """Active entries that may meet the condition: their date names that day, or one beside it in another zone."""
    day = _day(asked, now=now, timezone=timezone)
    named = Q()
    for beside in _BESIDE:
        named |= Q(happens_at__contains=_moved(day, beside).isoformat())
    shown = (
        Q(valid_from=None) | Q(valid_from__lte=now),
        Q(valid_to=None) | Q(valid_to__gt=now),
        Q(expires_at=None) | Q(expires_at__gt=now),
    )
    rows = ScratchpadEntry.objects.for_relationship(relationship_id).active().filter(named, *shown)
    columns = rows.filter(tier__in=tiers).values_list(*DatedEntry._fields[:-1], "effective_at")
    return (DatedEntry(*row) for row in columns)


def _is_on(entry: DatedEntry, day: str, days: int, now: datetime, timezone: str) -> bool:
    first, last = entry.happens_at.split("/")[0], entry.happens_at.split("/")[-1]
    if len(first if days >= 0 else last) < _DAY_LENGTH:
        return False
    span = span_of(entry.happens_at, timezone)
    if days >= 0:
        return day_of(span.begins.timestamp(), timezone) == day
    return day_of((span.ends - _SECOND).timestamp(), timezone) == day and plan_is_over(
        entry.happens_at, said=entry.content, told_at=entry.told_at, now=now, timezone=timezone
    )


def _day(asked: HappensCondition, *, now: datetime, timezone: str) -> date:
    return _moved(date.fromisoformat(day_of(now.timestamp(), timezone)), asked.days)


def _moved(day: date, days: int) -> date:
    """That many days later; the first or last day there is at most."""
    return date.fromordinal(min(max(day.toordinal() + days, 1), date.max.toordinal()))
