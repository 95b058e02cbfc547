"""Dates that a question names, and how close to them something was told. Pure arithmetic.

People talk about a day on that day or afterwards, so what was told from the day before to three days after counts in
full, and until two weeks after by half (weights chosen on LoCoMo, docs/reference/recall.md).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta

from memory.words import fold

BEFORE, AFTER, LATE = timedelta(days=1), timedelta(days=3), timedelta(days=14)
MOST_PERIODS = 12  # of one question; a long list of dates is not a question
_YEAR = r"(?:19|20)\d\d"
_ISO = re.compile(rf"\b({_YEAR})-(\d\d)(?:-(\d\d))?\b", re.ASCII)
_BARE_YEAR = re.compile(rf"\b({_YEAR})\b", re.ASCII)
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


# Names of months, without their accents.
_NAMES = """
january jan januar janner janvier enero gennaio janeiro januari январь января январе ocak يناير जनवरी
february feb februar feber fevrier febrero febbraio fevereiro februari февраль февраля феврале subat فبراير شباط फरवरी
march mar marz maerz mars marzo marco maart март марта марте mart مارس اذار मार्च
april apr avril abril aprile апрель апреля апреле nisan ابريل نيسان अप्रैल
may mai mayo maggio maio mei май мая мае mayis مايو ايار मई
june jun juni juin junio giugno junho июнь июня июне haziran يونيو حزيران जून
july jul juli juillet julio luglio julho июль июля июле temmuz يوليو تموز जुलाई
august aug aout agosto augustus август августа августе agustos اغسطس अगस्त
september sep sept septembre septiembre settembre setembro сентябрь сентября сентябре eylul سبتمبر ايلول सितंबर
october oct oktober octobre octubre ottobre outubro октябрь октября октябре ekim اكتوبر अक्टूबर अक्तूबर
november nov novembre noviembre novembro ноябрь ноября ноябре kasim نوفمبر नवंबर
december dec dezember decembre diciembre dicembre dezembro декабрь декабря декабре aralik ديسمبر दिसंबर
"""
MONTHS: Mapping[str, int] = {
    fold(name): month
    for month, names in enumerate(_NAMES.strip().splitlines(), start=1)
    for name in names.split()
}
# Also common words and first names: they are months only after a preposition, or beside a day or a year.
AMBIGUOUS = frozenset(
    {"may", "march", "mar", "mai", "mars", "marzo", "juni", "mei", "oct", "jan", "marco", "mart"}
)
_MONTH = re.compile(
    rf"(?:(?<!\w)(?P<before>[0-9]{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:(?:of|de)\s+)?)?"
    rf"(?<!\w)(?P<month>{'|'.join(sorted(map(re.escape, MONTHS), key=len, reverse=True))})(?!\w)\.?"
    rf"(?:\s+(?P<after>[0-9]{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s*(?:de\s+)?(?P<year>{_YEAR})\b)?"
)
# 2026年3月14日, 三月, 3월 14일
_HAN_NUMBERS = {
    sign: number for number, sign in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), start=1)
}
_HAN_MONTH = re.compile(
    rf"(?:({_YEAR})\s*[年년]\s*)?([0-9]{{1,2}}|十[一二]?|[一二三四五六七八九])\s*[月월](?:\s*([0-9]{{1,2}})\s*[日号號일])?"
)


def periods(text: str) -> tuple[Period, ...]:
    """Dates named in a question: ISO, day and month in either order, month and year, month; else a bare year.

    Without months and years that are the present of the question.
    """
    found: list[Period] = []

    def note_iso(match: re.Match[str]) -> str:
        bound = not match[3] and _BOUNDS.search(match.string[: match.start()][-40:])
        if 1 <= int(match[2]) <= 12 and not bound:
            found.append(Period(int(match[1]), int(match[2]), int(match[3]) if match[3] else None))
        return " "

    def note_han(match: re.Match[str]) -> str:
        month = _HAN_NUMBERS.get(match[2]) or int(match[2])
        if 1 <= month <= 12:
            found.append(
                Period(int(match[1]) if match[1] else None, month, int(match[3]) if match[3] else None)
            )
        return " "

    rest = _ISO.sub(note_iso, plain_digits(fold(text)))
    if not rest.isascii():
        rest = _HAN_MONTH.sub(note_han, rest)
    bounds: list[str] = []
    for match in _MONTH.finditer(rest):
        day, year = match["before"] or match["after"], match["year"]
        if not day and _BOUNDS.search(rest[: match.start()][-40:]):
            bounds.append(match[0])
        elif (
            day
            or year
            or match["month"] not in AMBIGUOUS
            or _OPENS_A_MONTH.search(rest[: match.start()][-20:])
        ):
            month = MONTHS[match["month"]]
            found.append(Period(int(year) if year else None, month, int(day) if day else None))
    if not found:
        for bound in bounds:
            rest = rest.replace(bound, " ")
        years = (
            match for match in _BARE_YEAR.finditer(rest) if not _BOUNDS.search(rest[: match.start()][-40:])
        )
        found = [Period(int(match[1])) for match in years]
    return tuple(dict.fromkeys(found))[:MOST_PERIODS]


def plain_digits(text: str) -> str:
    """Replace the digits of all scripts by ASCII digits."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)
