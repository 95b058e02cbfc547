"""Dates that a text names, and how close to those of a question something was told. Pure arithmetic.

People talk about a day on that day or afterwards, so what was told from the day before to three days after counts in
full, and until two weeks after by half (weights chosen on LoCoMo, docs/reference/recall.md).
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta
from pathlib import Path
from typing import NamedTuple

from memory.words import WORD, fold

BEFORE, AFTER, LATE = timedelta(days=1), timedelta(days=3), timedelta(days=14)
MOST_PERIODS = 12  # of one question; a long list of dates is not a question
_YEAR = r"(?:19|20)\d\d"
_ISO = re.compile(rf"\b(?P<year>{_YEAR})-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b", re.ASCII)
# 2026/3/14, 14.03.2026, and "am 14.3."; others with slashes begin with the day or with the month.
_FROM_YEAR = re.compile(
    rf"(?<![\w/.])(?P<year>{_YEAR})(?P<sign>[/.])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)(?![\w/])", re.ASCII
)
_POINTS = re.compile(rf"(?<![\w.])(?P<day>\d\d?)\. ?(?P<month>\d\d?)\. ?(?P<year>{_YEAR})\b", re.ASCII)
_ONLY_POINTS = re.compile(
    r"(?:(?<=\ba[mb] )|(?<=\bseit )|(?<=\b(?:bis|vom|zum|der|den|dem) ))"
    r"(?P<day>\d\d?)\. ?(?P<month>\d\d?)\.(?![\w.])",
    re.ASCII,
)
_DIGITS: tuple[re.Pattern[str], ...] = (_ISO, _FROM_YEAR, _POINTS, _ONLY_POINTS)
_BARE_YEAR = re.compile(rf"\b({_YEAR})\b(?![-/.]\d\d?(?!\d))", re.ASCII)
_OPENS_A_MONTH = re.compile(
    r"\b(?:in|of|since|by|during|until|till|early|late|mid|last|next|this"
    r"|im|seit|bis|ab|en|de|desde|hasta|des|depuis|nel|di|da|em|sinds|vanaf)[- ]+$"
)
# A month or a year after such words is the present of the question, not when it was told: "As of September, how many
# dogs does he have?" A day counts, as it asks for what was said on it (3.6 points on HaluMem).
_BOUNDS = re.compile(
    r"\b(?:as of|up to|until|till|stand|bis|jusqu'en|jusqu'au|jusqu'a|hasta|fino a|ate|tot)"
    r"(?: (?:early|late|mid|the|end of|ende|anfang|fin|le|el))*[- ]+$"
)


@dataclass(frozen=True, slots=True)
class Period:
    """What a date expression names. `year` None: any year; `month` None: the whole year."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def nearness(self, told: date) -> float:
        """1: told at that time; 0.5: soon after; 0: not then. Half of that for a bare year, which says little."""
        full = 0.5 if self.month is None else 1.0
        years = [self.year] if self.year else [told.year - 1, told.year, told.year + 1]
        return max((full * _nearness(span, told) for span in self._spans(years)), default=0.0)

    def last_span(self, today: date) -> tuple[date, date] | None:
        """Its first and last day, without a year those of the last that has begun; None if there is no such day."""
        years = [self.year] if self.year else [today.year, today.year - 1]
        return next((span for span in self._spans(years) if self.year or span[0] <= today), None)

    def first_day(self, near: date) -> date | None:
        """Its first day, without a year the one closest to `near`; None if there is no such day."""
        years = [self.year] if self.year else [near.year - 1, near.year, near.year + 1]
        return min((first for first, _ in self._spans(years)), key=lambda day: abs(day - near), default=None)

    def _spans(self, years: list[int]) -> Iterator[tuple[date, date]]:
        for year in years:
            with suppress(ValueError):  # no such day: 30 February, or 29 in a common year
                if MINYEAR < year < MAXYEAR:  # as days before and after it are computed
                    yield self._span(year)

    def _span(self, year: int) -> tuple[date, date]:
        if self.month is None:
            return date(year, 1, 1), date(year, 12, 31)
        if self.day is None:
            following = date(year + self.month // 12, self.month % 12 + 1, 1)
            return date(year, self.month, 1), following - timedelta(days=1)
        day = date(year, self.month, self.day)
        return day, day


def _nearness(span: tuple[date, date], told: date) -> float:
    first, last = span
    if first - BEFORE <= told <= last + AFTER:
        return 1.0
    return 0.5 if last < told <= last + LATE else 0.0


_NAMES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
MONTHS: Mapping[str, int] = {
    fold(name): month
    for month, names in enumerate(_NAMES["months"].splitlines(), start=1)
    for name in names.split()
}
# Also common words and first names: they are months only after a preposition, or beside a day or a year.
AMBIGUOUS = frozenset(
    {"may", "march", "mar", "mai", "mars", "marzo", "juni", "mei", "oct", "jan", "marco", "mart"}
)
_WORD = re.compile(WORD)
_DAY_BEFORE = re.compile(r"(?<![0-9])(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?\.?\s+(?:(?:of|de)\s+)?\Z")
_BEHIND = re.compile(
    rf"\.?(?:\s+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s*(?:de\s+)?(?P<year>{_YEAR})\b)?"
)
# 2026年3月14日, 三月三日, 3월 14일
_HAN_NUMBER = re.compile("[〇零一二三四五六七八九十]{1,4}(?=[年月日號号])")
_HAN_DIGITS = {sign: digit for digit, sign in enumerate("〇一二三四五六七八九")} | {"零": 0}
_HAN_MONTH = re.compile(
    rf"(?:(?P<year>{_YEAR})\s*[年년]\s*)?(?P<month>[0-9]{{1,2}})\s*[月월]"
    r"(?:\s*(?P<day>[0-9]{1,2})\s*[日號号일])?"
)
WEEKDAYS = frozenset(fold(_NAMES["weekdays"]).split())


class Mention(NamedTuple):
    """A date and its place in the folded text. `bound`: a month up to which is asked, and not a time."""

    period: Period
    start: int
    end: int
    bound: bool


def dates_in(text: str) -> tuple[str, list[Mention]]:
    """Fold a text, and find its dates that have a month, in digits or by name."""
    folded, found = fold(text), list[Mention]()
    if not folded.isascii():
        folded = _HAN_NUMBER.sub(_han_number, folded)
    rest = folded
    for form in (*_DIGITS, _HAN_MONTH) if "月" in folded or "월" in folded else _DIGITS:
        found += filter(None, map(_in_digits, form.finditer(rest)))
        rest = form.sub(_blank, rest)
    return folded, [*found, *_by_name(rest)]


def before(text: str, place: int, *, most: int = 40) -> str:
    """The last characters before a place, without a copy of all that is before it."""
    return text[max(place - most, 0) : place]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _in_digits(match: re.Match[str]) -> Mention | None:
    year, month, day = (int(match.groupdict().get(name) or 0) for name in ("year", "month", "day"))
    if not 1 <= month <= 12:
        return None
    bound = not day and bool(_BOUNDS.search(before(match.string, match.start())))
    return Mention(Period(year or None, month, day or None), *match.span(), bound)


def _by_name(text: str) -> Iterator[Mention]:
    for word in _WORD.finditer(text):
        if (month := MONTHS.get(word[0])) is None:
            continue
        near, behind = before(text, word.start()), _BEHIND.match(text, word.end())
        assert behind is not None, "all of it is optional"
        opens = _DAY_BEFORE.search(near)
        day, year = (opens and opens["day"]) or behind["day"], behind["year"]
        bound = not day and bool(_BOUNDS.search(near))
        if day or year or bound or word[0] not in AMBIGUOUS or _OPENS_A_MONTH.search(near):
            start = word.start() - (len(opens[0]) if opens else 0)
            period = Period(int(year) if year else None, month, int(day) if day else None)
            yield Mention(period, start, behind.end(), bound)


def _han_number(match: re.Match[str]) -> str:
    """Write 二〇二六 as 2026, and 二十五 as 25."""
    signs = match[0]
    if "十" not in signs:
        return "".join(str(_HAN_DIGITS[sign]) for sign in signs)
    tens, _, ones = signs.partition("十")
    return str(10 * _HAN_DIGITS.get(tens, 1) + _HAN_DIGITS.get(ones, 0))


def periods(text: str) -> tuple[Period, ...]:
    """Dates named in a question; if there is none, its years.

    Without months and years that are the present of the question.
    """
    folded, mentions = dates_in(text)
    found = [mention.period for mention in mentions if not mention.bound]
    if not found:
        taken = {place for mention in mentions for place in range(mention.start, mention.end)}
        years = (
            match
            for match in _BARE_YEAR.finditer(folded)
            if match.start() not in taken and not _BOUNDS.search(before(folded, match.start()))
        )
        found = [Period(int(match[1])) for match in years]
    return tuple(dict.fromkeys(found))[:MOST_PERIODS]
