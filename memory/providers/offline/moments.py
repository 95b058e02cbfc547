"""What a date phrase means, counted from the day it is said. Takes the groups of the pattern in dates.py."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
}  # fmt: skip
Groups = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as it is kept: a preposition, words, the day where it is one, and a day inside it where there is one."""

    preposition: str
    text: str
    day: date | None
    within: date | None


def resolve(groups: Groups, *, today: date, past: bool) -> Moment | None:
    """The moment meant; None where the words are no date after all, or name a day that does not exist.

    `past` says which way an open one ("on Friday", "in May") points.
    """
    for name, read in _READERS.items():
        if groups.get(name):
            try:
                return read(groups, today, past)
            except (ValueError, OverflowError):  # the 31st of February, a thousand years from now
                return None
    return None


def in_words(day: date) -> str:
    """The day as it is kept: "28 November 2026"."""
    return f"{day.day} {day:%B %Y}"


def _on(day: date, part: str | None = None) -> Moment:
    words = {"morning": " in the morning", "afternoon": " in the afternoon", "evening": " in the evening"}
    return Moment("on", in_words(day) + words.get((part or "").strip().lower(), ""), day, day)


def _in_month(year: int, month: int) -> Moment:
    first = date(year, month, 1)
    return Moment("in", f"{first:%B %Y}", None, first)


def _in_year(year: int) -> Moment:
    return Moment("in", str(date(year, 1, 1).year), None, None)


def _iso(groups: Groups, today: date, past: bool) -> Moment:
    return _on(date.fromisoformat(groups["iso"]))


def _relative_day(groups: Groups, today: date, past: bool) -> Moment:
    said = groups["relday"].lower()
    days = {
        "the day after tomorrow": 2,
        "tomorrow": 1,
        "yesterday": -1,
        "last night": -1,
        "the day before yesterday": -2,
    }
    part = groups.get("part") or (said.removeprefix("this ") if said.startswith("this ") else "")
    return _on(today + timedelta(days=days.get(said, 0)), part)


def _end_of(groups: Groups, today: date, past: bool) -> Moment:
    which, unit = groups["end"].lower().split()
    step = 1 if which == "next" else 0
    if unit == "week":
        sunday = today + timedelta(days=6 - today.weekday() + 7 * step)
        return Moment("at", f"the end of the week, {in_words(sunday)}", None, sunday)
    if unit == "year":
        return Moment("at", f"the end of {today.year + step}", None, date(today.year + step, 12, 1))
    year, month = _months_from(today, step)
    return Moment("at", f"the end of {date(year, month, 1):%B %Y}", None, date(year, month, 1))


def _day_and_month(groups: Groups, today: date, past: bool) -> Moment:
    said, name, year = (groups["day1"], groups["month1"], groups["year1"])
    if groups.get("month2"):
        said, name, year = (groups["day2"], groups["month2"], groups["year2"])
    day, month = int(said.rstrip("sthndr")), _month(name)
    if year:
        return _on(date(int(year), month, day))
    found = date(today.year, month, day)
    if past and found > today:
        found = date(today.year - 1, month, day)
    elif not past and found < today:
        found = date(today.year + 1, month, day)
    return _on(found)


def _day_of_month(groups: Groups, today: date, past: bool) -> Moment:
    day = int(groups["dayonly"].split()[1].rstrip("sthndr"))
    step = 0
    if past and day > today.day:
        step = -1
    elif not past and day < today.day:
        step = 1
    year, month = _months_from(today, step)
    return _on(date(year, month, day))


def _which_unit(groups: Groups, today: date, past: bool) -> Moment:
    which, unit = groups["which"].lower().split()[-1], groups["unit"].lower()
    if groups["which"].lower() == "this past":
        which = "last"
    step = {"next": 1, "last": -1, "past": -1}.get(which, 0)
    if unit in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        if unit == "week":
            return Moment("in", f"the week of {in_words(monday)}", None, monday)
        saturday = monday + timedelta(days=5)
        return Moment("on", f"the weekend of {in_words(saturday)}", None, saturday)
    if unit == "month":
        return _in_month(*_months_from(today, step))
    if unit == "year":
        return _in_year(today.year + step)
    if unit in ("spring", "summer", "autumn", "fall", "winter"):
        return _season(unit, step, today)
    if any(name.startswith(unit[:3]) for name in WEEKDAYS):
        return _on(_weekday(unit, today, step=step, past=past))
    month = _month(unit)
    if step > 0:
        return _in_month(today.year + (month <= today.month), month)
    if step < 0:
        return _in_month(today.year - (month >= today.month), month)
    return _in_month(today.year, month)


def _plain_weekday(groups: Groups, today: date, past: bool) -> Moment:
    return _on(_weekday(groups["weekday"], today, step=0, past=past), groups.get("part2"))


def _some_ago(groups: Groups, today: date, past: bool) -> Moment | None:
    return _counted(groups["count1"], groups["unit1"], today, ahead="now" in groups["ago"].lower())


def _some_time(groups: Groups, today: date, past: bool) -> Moment | None:
    return _counted(groups["count2"], groups["unit2"], today, ahead=True)


def _in_some(groups: Groups, today: date, past: bool) -> Moment | None:
    return _counted(groups["in_count"], groups["in_unit"], today, ahead=True)


def _season_of(groups: Groups, today: date, past: bool) -> Moment:
    name = groups["season"].lower().removeprefix("the ")
    return Moment("in", f"{name} {_year(groups['season_year'], today)}", None, None)


def _named_month(groups: Groups, today: date, past: bool) -> Moment | None:
    name, year = groups["month3"], groups["year3"]
    if not year and not groups.get("prep"):
        return None  # "may", "march" and "sept" alone are more often no month at all
    month = _month(name)
    if year:
        return _in_month(_year(year, today), month)
    if past:
        return _in_month(today.year - (month > today.month), month)
    return _in_month(today.year + (month < today.month), month)


def _plain_year(groups: Groups, today: date, past: bool) -> Moment | None:
    return _in_year(int(groups["year"])) if groups.get("prep") else None


_READERS: dict[str, Callable[[Groups, date, bool], Moment | None]] = {
    "iso": _iso,
    "relday": _relative_day,
    "end": _end_of,
    "day1": _day_and_month,
    "day2": _day_and_month,
    "dayonly": _day_of_month,
    "which": _which_unit,
    "weekday": _plain_weekday,
    "count1": _some_ago,
    "count2": _some_time,
    "season": _season_of,
    "month3": _named_month,
    "year": _plain_year,
    "in_count": _in_some,
}


def _counted(count: str, unit: str, today: date, *, ahead: bool) -> Moment | None:
    number = _NUMBERS.get(count.lower()) or int(count)
    number = number if ahead else -number
    unit = unit.lower()
    if unit == "day":
        return _on(today + timedelta(days=number))
    if unit == "week":
        day = today + timedelta(weeks=number)
        return Moment("around", in_words(day), day, day)
    if unit == "month":
        return _in_month(*_months_from(today, number))
    return _in_year(today.year + number)


def _weekday(name: str, today: date, *, step: int, past: bool) -> date:
    """`step` 1 is the one of the coming calendar week, -1 the latest before today, 0 where the tense points to."""
    number = next(i for i, full in enumerate(WEEKDAYS) if full.startswith(name.lower()[:3]))
    if step > 0:
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + number)
    if step < 0 or past:
        return today - timedelta(days=(today.weekday() - number) % 7 or 7)
    return today + timedelta(days=(number - today.weekday()) % 7 or 7)


def _season(name: str, step: int, today: date) -> Moment:
    """The nearest one before (-1), of (0) or after (1) this moment; seasons as in the northern hemisphere."""
    first_month = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[name]
    year = today.year
    if step > 0 and first_month <= today.month:
        year += 1
    elif step < 0 and first_month + 2 >= today.month:
        year -= 1
    return Moment("in", f"{name} {year}", None, None)


def _month(name: str) -> int:
    return next(i for i, full in enumerate(MONTHS, start=1) if full.startswith(name.lower()[:3]))


def _year(said: str, today: date) -> int:
    return {"next year": today.year + 1, "last year": today.year - 1}.get(said.lower()) or int(said)


def _months_from(today: date, step: int) -> tuple[int, int]:
    index = today.year * 12 + today.month - 1 + step
    return index // 12, index % 12 + 1
