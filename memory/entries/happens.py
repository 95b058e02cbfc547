"""When something happens, as exactly as it was said: a year, a month, a day, a time, or a range of these. Pure.

It is kept as text in the forms of ISO 8601 ("2023", "2023-03", "2023-03-01", "2023-03-01T15:00", or two of these as
"2023-03-01/2023-03-07"), so that it is never more exact than what was said. The time span is computed when needed.
"""

import re
from calendar import month_name
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory.dates import WEEKDAYS, Period, before, dates_in
from memory.entries.times import TIME, times_in
from memory.models.entry import MAX_HAPPENS_AT

FORMS = (
    "a year, a month, a day or a time of ISO 8601 (2023, 2023-03, 2023-03-01, 2023-03-01T15:00), "
    "or two of them with / between"
)
SAME_DAY = 900  # seconds: a quarter of an hour lies in one day, whatever the zone
# Words before or after a date (both folded) that say that something is true from then on. A weekday may be between.
_FROM_ON = re.compile(
    r"(?<!\w)(?:since|from|starting|as of|seit|ab|depuis|a partir d(?:e|el|o|u)|desde|dal|a partire dal|sinds|vanaf"
    rf"|sedan|siden|od|с|منذ) (?:\w{{1,3}} )?(?:(?:{'|'.join(sorted(map(re.escape, WEEKDAYS)))}),? (?:\w{{1,3}} )?)?\Z"
)
_ON_FROM = re.compile(r" ?(?:\(\w{1,4}\) ?)?(?:から|以降|以来|起|부터)")
_UNTIL = re.compile(
    r"\S*(?: \d\d?:\d\d)? (?:to|until|till|through|bis|jusqu\W|hasta|ate|fino|tot|do|до)(?!\w)"
)  # a range, which ends
_COARSE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


PASSED = "date passed, outcome not told"  # the note on a plan that is over


class Span(NamedTuple):
    """From the first moment to the moment after the last, in UTC."""

    begins: datetime
    ends: datetime


def happens_text(said: str) -> str:
    """`said` in the form in which it is kept. Raises ValueError, naming the accepted forms."""
    parts = [part.strip() for part in said.strip().split("/")]
    if len(said) > MAX_HAPPENS_AT or len(parts) > 2 or not said.isascii():
        raise ValueError(f"is not {FORMS}")
    kept = [_kept(part) for part in parts]
    text = "/".join(kept if kept[0] != kept[-1] else kept[:1])
    span = span_of(text, "UTC")
    if span.begins >= span.ends:
        raise ValueError("ends before it begins")
    return text


@lru_cache(maxsize=4096)
def span_of(text: str, timezone: str) -> Span:
    """The time span of a kept text for a person in that time zone, which applies to times without an offset."""
    first, *rest = text.split("/")
    zone = zone_of(timezone)
    begins, ends = _span(first, zone)
    return Span(begins, _span(rest[0], zone)[1] if rest else ends)


@lru_cache(maxsize=4096)
def told_as(text: str, timezone: str) -> str:
    """The text as it is shown: days, months and years as they were said, times in the person's time zone."""
    first, *rest = (_told(part, timezone) for part in text.split("/"))
    return " to ".join([first, *(last.removeprefix(f"{first[:10]} ") for last in rest)])


def spelt_out(text: str) -> str:
    """The years, months and days in English words, as somebody would search for them: "1 March 2023"."""
    words: list[str] = []
    for part in text.split("/"):
        year, month, day = (*part[:10].split("-"), "", "")[:3]
        words += [day.lstrip("0"), month_name[int(month)] if month else "", year]
    return " ".join(dict.fromkeys(filter(None, words)))


def says_when(said: str, text: str, timezone: str) -> bool:
    """Return whether a statement already says when it happens, in any language; day and time may be apart in it."""
    told = told_as(text, timezone)
    if any(form in said for form in (told, text, spelt_out(text))):
        return True
    if said.isascii() and text[:4] not in said:
        return False
    days = TIME.sub("", told).replace(" to ", " ").split()
    named = {mention.period for mention in dates_in(said)[1]}
    return all(day in said or _period(day) in named for day in days) and times_in(told) <= times_in(said)


def moved_with(text: str, *, old: str, new: str, ended: bool = False) -> str:
    """The kept text, with the days of a range, or the day and the time of day, that the new statement alone names in
    place of those that the old one alone named; and the day in a month. An end of a range that neither names moves by
    as much. `ended`: what the old one says is over, so the new one may name its days, too ("before that on 14 March").
    """
    parts = text.split("/")
    if _COARSE.fullmatch(text) and len(text) < len("2026-03-14"):
        return _refined(text, old=old, new=new)
    if any(len(part) < len("2026-03-14") for part in parts):
        return text
    days = [date.fromisoformat(part[:10]) for part in parts]
    time = text[11:].lstrip("0") if len(days) == 1 else ""
    named, names = (_days_in(said, near=days[0]) for said in (old, new))
    said, says = times_in(old), times_in(new)
    gone = [day for day in days if day in named - names]
    if ended and not gone and names - named:
        gone = [day for day in days if day in named]
    if gone:
        fresh = sorted(names - named)
        if len(gone) != len(fresh):
            return text
        stay = [day for day in days if day not in gone]
        with suppress(OverflowError):  # the last day there is
            stay = [day if day in names else day + (fresh[0] - gone[0]) for day in stay]
        days, instead = sorted({*stay, *fresh}), says - said or says
    elif time in said - says:
        instead = says - said
    else:
        return text
    if time and len(instead) == 1:
        return f"{days[0]}T{instead.pop():0>5}"
    return "/".join(map(str, days)) if gone else text


def _refined(text: str, *, old: str, new: str) -> str:
    """A year or month, or the day in it that the new statement alone names, in place of the year or month itself."""
    year, month = _period(text).year or 0, _period(text).month
    its = {Period(year, month), Period(None, month)}
    named, names = ({mention.period for mention in dates_in(said)[1]} for said in (old, new))
    middle = date(year, month or 7, 15)
    days = {str(day) for day in _days_in(new, near=middle) - _days_in(old, near=middle)}
    fresh = [day for day in days if day.startswith(text)]
    return fresh[0] if len(fresh) == 1 and its & named and its.isdisjoint(names) else text


def moved_to(text: str | None, *, old: str, new: str, ended: bool = False) -> str | None:
    """Where `moved_with` moves the text; None if it doesn't: for a new statement beside or instead of the old one."""
    moved = moved_with(text, old=old, new=new, ended=ended) if text else None
    return None if moved == text else moved


def expires_with(ends: datetime, *, old: str, new: str, timezone: str) -> datetime | None:
    """The kept expiry; None if the old statement named its day or month, and the new one doesn't."""
    last = ends.astimezone(zone_of(timezone)).date()
    named, names = ({mention.period for mention in dates_in(said)[1]} for said in (old, new))
    its = {Period(year, last.month, day) for year in (None, last.year) for day in (None, last.day)}
    return None if its & named and its.isdisjoint(names) else ends


def _days_in(said: str, *, near: date) -> set[date]:
    """The days that a text names; those without a year in the year that brings them closest to `near`."""
    periods = (mention.period for mention in dates_in(said)[1] if mention.period.day)
    return {day for day in (period.first_day(near) for period in periods) if day}


def _period(day: str) -> Period:
    return Period(*map(int, day.split("-")))


def plan_is_over(text: str, *, said: str, told_at: datetime, now: datetime, timezone: str) -> bool:
    """Return whether it was told before it began and is over by now, so that the outcome is unknown. A state that
    lasts from that day on, according to the statement `said` ("Works nights since 2026-11-09"), is not a plan.
    """
    span = span_of(text, timezone)
    return told_at < span.begins and span.ends <= now and not _goes_on(said, text)


def _goes_on(said: str, text: str) -> bool:
    """Return whether it lasts from that day on. The statement may leave out the year, or say the day of the month."""
    if "/" in text:
        return False
    begins = tuple(map(int, text[:10].split("-")))
    folded, mentions = dates_in(said)
    return any(
        (_FROM_ON.search(before(folded, mention.start, most=60)) and not _UNTIL.match(folded, mention.end))
        or _ON_FROM.match(folded, mention.end)
        for mention in mentions
        if (mention.period.year or begins[0], mention.period.month, mention.period.day)[: len(begins)]
        == begins
    )


@lru_cache(maxsize=65_536)
def _day_of_quarter(quarter: int, timezone: str) -> str:
    moment = datetime.fromtimestamp(quarter * SAME_DAY, UTC)
    try:
        return moment.astimezone(zone_of(timezone)).date().isoformat()
    except (OverflowError, ValueError):  # the first or last day there is
        return moment.date().isoformat()


def day_of(moment: float, timezone: str) -> str:
    """The person's own day at a time in seconds since 1970. Every zone's days begin on a quarter of an hour."""
    return _day_of_quarter(int(moment // SAME_DAY), timezone)


def named_day_of(moment: float, timezone: str) -> str:
    """The same with its name, by which "last Friday" is counted: "Monday, 2026-03-02"."""
    return _named(day_of(moment, timezone))


@lru_cache(maxsize=4096)
def _named(day: str) -> str:
    return f"{date.fromisoformat(day):%A}, {day}"


def _kept(part: str) -> str:
    if match := _COARSE.fullmatch(part):
        try:
            date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
        except ValueError as error:
            raise ValueError(f"is no date: {error}") from None
        return part
    try:
        moment = datetime.fromisoformat(part)
    except ValueError:
        raise ValueError(f"is not {FORMS}") from None
    if len(part) <= 10:  # 20230301 and 2023-W09-3: forms that few readers know
        return moment.date().isoformat()
    return moment.isoformat(timespec="minutes" if not (moment.second or moment.microsecond) else "auto")


def _span(part: str, zone: ZoneInfo) -> Span:
    match = _COARSE.fullmatch(part)
    if match is None:
        moment = datetime.fromisoformat(part)
        begins = _utc(moment if moment.tzinfo else moment.replace(tzinfo=zone))
        return Span(begins, _later(begins, timedelta(minutes=1)))
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    first = date(year, month, day)
    try:
        if match[3]:
            following = first + timedelta(days=1)
        elif match[2]:
            following = date(year + month // 12, month % 12 + 1, 1)
        else:
            following = date(year + 1, 1, 1)
    except (ValueError, OverflowError):  # the last day there is
        return Span(_midnight(first, zone), datetime.max.replace(tzinfo=UTC))
    return Span(_midnight(first, zone), _midnight(following, zone))


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return _utc(datetime(day.year, day.month, day.day, tzinfo=zone))


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError):  # the first or last day there is
        return moment.replace(tzinfo=UTC)


def _later(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _told(part: str, timezone: str) -> str:
    if _COARSE.fullmatch(part):
        return part
    moment = datetime.fromisoformat(part)
    if moment.tzinfo is not None:
        with suppress(OverflowError, ValueError):  # the first or last day there is
            moment = moment.astimezone(zone_of(timezone))
    return f"{moment.date().isoformat()} {moment:%H:%M}"


def zone_of(timezone: str) -> ZoneInfo:
    """UTC where this system has lost the zone."""
    try:
        return ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
