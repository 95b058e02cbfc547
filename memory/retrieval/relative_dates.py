"""Times that a question names by their distance from today: "yesterday", "last week", "two months ago". Pure.

Only in questions: "Yesterday I saw the dentist" says nothing about when teeth were mentioned before.
"""

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from memory.dates import Period, periods
from memory.words import fold

_BEFORE, _AFTER = timedelta(days=1), timedelta(days=3)
_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
_ASKS = re.compile(_TOLD["asks"].replace("\n", ""))
_NUMBERS = {word: number for number, words in enumerate(_TOLD["numbers"], start=1) for word in words.split()}
_UNITS = "|".join(f"(?P<{unit}>{words})" for unit, words in _TOLD["units"].items())
_SO_LONG = rf"(?:an? |ein )?(?P<count>[0-9]{{1,3}}|{'|'.join(_NUMBERS)})(?: of)? ?(?:{_UNITS})"


def _alone(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9])(?:{pattern})(?![a-z])")


_PATTERNS = (
    *((last["unit"], last["count"], _alone(last["words"].replace("\n", ""))) for last in _TOLD["last"]),
    *(
        ("", 0, _alone(words))
        for words in (rf"{_SO_LONG} ?(?:ago|fa|atras|前|以前|전)", rf"(?:vor|hace|il y a|ha) {_SO_LONG}")
    ),
)


@dataclass(frozen=True, slots=True)
class Days:
    """The days from the first to the last, inclusive. A question that names them wants what was told then, which counts
    as much as all its words (a date counts .4 of them, by rankers.best.DATE)."""

    first: date
    last: date

    def nearness(self, told: date) -> float:
        """2.5: told then; half: told the day before (time zones differ) or within three days after; otherwise 0."""
        if self.first <= told <= self.last:
            return 2.5
        return 1.25 if self.first - _BEFORE <= told <= self.last + _AFTER else 0.0


def relative_periods(text: str, today: date) -> tuple[Period | Days, ...]:
    """The times that a question names relative to `today`; none if the text is not a question."""
    asked = fold(text)
    return tuple(dict.fromkeys(_found(asked, today))) if _ASKS.search(asked) else ()


def past_span(text: str, today: date) -> tuple[date, date] | None:
    """The first and the last day of the past times that a question names; None if it names none. A month or day
    without a year is the last one there was.
    """
    if not _ASKS.search(fold(text)):
        return None
    spans = [
        (named.first, named.last) if isinstance(named, Days) else named.last_span(today)
        for named in (*relative_periods(text, today), *periods(text))
    ]
    past = [span for span in spans if span is not None and span[1] < today]
    return (min(first for first, _ in past), max(last for _, last in past)) if past else None


def _found(asked: str, today: date) -> Iterator[Period | Days]:
    for unit, count, pattern in _PATTERNS:
        for match in pattern.finditer(asked):
            with suppress(OverflowError, ValueError):  # before the first year there is
                yield _period(unit, count, today) if unit else _so_long_ago(match, today)
        asked = pattern.sub(" ", asked)


def _so_long_ago(match: re.Match[str], today: date) -> Period | Days:
    count = _NUMBERS.get(match["count"]) or int(match["count"])
    if match["week"]:
        middle = today - timedelta(weeks=count)
        return Days(middle - timedelta(days=3), middle + timedelta(days=3))
    return _period(next(unit for unit in ("day", "month", "year") if match[unit]), count, today)


def _first_of(months: int) -> date:
    year, month = divmod(months, 12)
    return date(year, month + 1, 1)


def _period(unit: str, count: int, today: date) -> Period | Days:
    monday = today - timedelta(days=today.weekday())
    if unit == "day":
        return Days(today - timedelta(days=count), today - timedelta(days=count))
    if unit == "week":
        return Days(monday - timedelta(days=7), monday - timedelta(days=1))
    if unit == "weekend":
        return Days(monday - timedelta(days=2), monday - timedelta(days=1))
    if unit == "month":
        first, following = (_first_of(today.year * 12 + today.month - 1 - ago) for ago in (count, count - 1))
        return Days(first, following - timedelta(days=1))
    return Period(date(today.year - count, 1, 1).year)
