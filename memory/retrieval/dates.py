"""Dates that a question names, and how near to them something was told. Pure arithmetic.

People tell of a day on it or afterwards, so what was told from the day before to three days after counts in full,
until two weeks after by half (weights chosen on LoCoMo, docs/reference/recall.md).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta
from functools import lru_cache

BEFORE, AFTER, LATE = timedelta(days=1), timedelta(days=3), timedelta(days=14)
MOST_PERIODS = 12  # of one question; a list of dates is no question
_YEAR = r"(?:19|20)\d\d"
_ISO = re.compile(rf"\b({_YEAR})-(\d\d)(?:-(\d\d))?\b", re.ASCII)
_BARE_YEAR = re.compile(rf"\b({_YEAR})\b", re.ASCII)
_OPENS_A_MONTH = re.compile(
    r"\b(?:in|of|since|by|during|until|till|early|late|mid|last|next|this"
    r"|im|seit|bis|ab|en|de|desde|hasta|dès|depuis|nel|di|da|em|sinds|vanaf)[- ]+$"
)
# A month or a year after such words says where the asker stands, not when it was told: "As of September, how many dogs
# does he have?" A day counts: who names one asks of what was said on it (3.6 points on HaluMem).
_BOUNDS = re.compile(
    r"\b(?:as of|up to|until|till|stand|bis|jusqu'en|jusqu'au|jusqu'à|hasta|fino a|até|tot)"
    r"(?: (?:early|late|mid|the|end of|ende|anfang|fin|le|el))*[- ]+$"
)


@dataclass(frozen=True, slots=True)
class Period:
    """What a date expression names. `year` None: any year; `month` None: the whole year."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def nearness(self, told: date) -> float:
        """1: told at that time; 0.5: soon after; 0: not then. Of a bare year half of it, for it says little."""
        full = 0.5 if self.month is None else 1.0
        years = [self.year] if self.year else [told.year - 1, told.year, told.year + 1]
        return max((full * _nearness(span, told) for span in self._spans(years)), default=0.0)

    def _spans(self, years: list[int]) -> Iterator[tuple[date, date]]:
        for year in years:
            with suppress(ValueError):  # no such day: 30 February, or 29 in a common year
                if MINYEAR < year < MAXYEAR:  # days are counted before and after it
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


def periods(text: str, months: Mapping[str, int]) -> tuple[Period, ...]:
    """Dates named in a question: ISO, day and month in either order, month and year, month; else a bare year.

    Not months and years up to which it asks.
    """
    found: list[Period] = []

    def note_iso(match: re.Match[str]) -> str:
        bound = not match[3] and _BOUNDS.search(match.string[: match.start()][-40:])
        if 1 <= int(match[2]) <= 12 and not bound:
            found.append(Period(int(match[1]), int(match[2]), int(match[3]) if match[3] else None))
        return " "

    rest = _ISO.sub(note_iso, text.lower())
    bounds: list[str] = []
    for match in _pattern(tuple(months)).finditer(rest):
        day, year = match["before"] or match["after"], match["year"]
        if not day and _BOUNDS.search(rest[: match.start()][-40:]):
            bounds.append(match[0])
        elif (
            day
            or year
            or match["month"] not in AMBIGUOUS
            or _OPENS_A_MONTH.search(rest[: match.start()][-20:])
        ):
            found.append(
                Period(int(year) if year else None, months[match["month"]], int(day) if day else None)
            )
    if not found:
        for bound in bounds:
            rest = rest.replace(bound, " ")
        years = (
            match for match in _BARE_YEAR.finditer(rest) if not _BOUNDS.search(rest[: match.start()][-40:])
        )
        found = [Period(int(match[1])) for match in years]
    return tuple(dict.fromkeys(found))[:MOST_PERIODS]


@lru_cache(maxsize=32)
def _pattern(months: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    return re.compile(
        rf"(?:\b(?P<before>[0-9]{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:(?:of|de)\s+)?)?\b(?P<month>{names})\b\.?"
        rf"(?:\s+(?P<after>[0-9]{{1,2}})(?:st|nd|rd|th)?\b)?(?:,?\s*(?:de\s+)?(?P<year>{_YEAR})\b)?"
    )


# Names of months, by the language of the configuration. An unknown language is read as English.
_SHORT_ENGLISH = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9}
# Words of everyday use too: months only after a preposition, or beside a day or a year.
AMBIGUOUS = frozenset({"may", "march", "mar", "mai", "mars", "marzo", "set", "juni", "mei", "maj", "oct"})


def _table(names: str, more: Mapping[str, int] | None = None) -> dict[str, int]:
    return {name: month for month, name in enumerate(names.split(), start=1)} | dict(more or {})


_ENGLISH = _table(
    "january february march april may june july august september october november december",
    {**_SHORT_ENGLISH, "oct": 10, "nov": 11, "dec": 12},
)
_BY_LANGUAGE: dict[str, dict[str, int]] = {
    "english": _ENGLISH,
    "german": _table(
        "januar februar märz april mai juni juli august september oktober november dezember",
        {"jänner": 1, "feber": 2, "maerz": 3},
    ),
    "french": _table(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        {"fevrier": 2, "aout": 8, "decembre": 12},
    ),
    "spanish": _table(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        {"setiembre": 9},
    ),
    "italian": _table(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    ),
    "portuguese": _table(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        {"marco": 3},
    ),
    "dutch": _table(
        "januari februari maart april mei juni juli augustus september oktober november december"
    ),
}


# Of all these languages at once; where two share a name it is the same month.
MONTHS: Mapping[str, int] = {name: month for names in _BY_LANGUAGE.values() for name, month in names.items()}


def months_of(languages: Iterable[str]) -> Mapping[str, int]:
    """The names to look for, as name: 1 to 12. Of several languages the first keeps a name they share."""
    merged: dict[str, int] = {}
    for language in reversed(list(languages)):
        merged |= _BY_LANGUAGE.get(language, _ENGLISH)
    return merged or _ENGLISH
