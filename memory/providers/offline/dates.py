"""Dates as people say them ("next Friday", "in two weeks", "on the 3rd"), made absolute from the day of the message."""

import re
from collections.abc import Callable
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
# Prepositions that mean something of their own; every other one ("on", "at", "in", "this") is chosen anew.
_KEPT_PREPOSITIONS = ("by", "until", "till", "before", "after", "from", "since", "around", "about")

_MONTH = r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_WEEKDAY = r"monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SHORT_DAY = r"mon|tues?|wed|thurs?|fri|sat|sun"
_COUNT = r"\d{1,3}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_SEASON = r"spring|summer|autumn|fall|winter"

_DATE = re.compile(
    rf"""(?<![\w/.-])
    (?:(?P<prep>by|until|till|before|after|from|since|around|about|on|in|at|during|over|for|starting)\s+)?
    (?:
      (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})
    | (?P<relday>the\ day\ after\ tomorrow|the\ day\ before\ yesterday|today|tonight|tomorrow|yesterday
        |this\ (?:morning|afternoon|evening)|last\ night)(?P<part>\ (?:morning|afternoon|evening|night))?
    | (?:the\ )?end\ of\ (?P<end>(?:the|this|next)\ (?:week|month|year))
    | (?:the\ )?(?P<day1>{_ORDINAL})\ (?:of\ )?(?P<month1>{_MONTH})\b\.?(?:,?\ (?P<year1>(?:19|20)\d\d))?
    | (?P<month2>{_MONTH})\b\.?\ (?:the\ )?(?P<day2>\d{{1,2}}(?:st|nd|rd|th)?)(?!\d)(?:,?\ (?P<year2>(?:19|20)\d\d))?
    | (?P<dayonly>the\ \d{{1,2}}(?:st|nd|rd|th))(?!\ \w*(?:time|floor|grade|edition|century|anniversary|birthday))
    | (?P<which>next|this|last|this\ coming|this\ past|coming|past)\ (?P<unit>week|weekend|month|year|{_SEASON}|{_MONTH}
        |{_WEEKDAY}|{_SHORT_DAY})\b(?!\ old)
    | (?P<weekday>{_WEEKDAY})(?P<part2>\ (?:morning|afternoon|evening|night))?
    | (?P<count1>{_COUNT})\ (?P<unit1>day|week|month|year)s?(?:'s)?(?P<ago>\ ago|\ from\ now)
    | (?P<count2>{_COUNT})\ (?P<unit2>day|week|month|year)s?(?:'s)?\ time
    | (?P<season>(?:the\ )?(?:{_SEASON}))\ (?:of\ )?(?P<season_year>(?:19|20)\d\d|next\ year|last\ year)
    | (?P<month3>{_MONTH})(?:\ (?:of\ )?(?P<year3>(?:19|20)\d\d|next\ year|last\ year))?
    | (?P<year>(?:19|20)\d\d)
    )(?![\w]|-\w|/\d|'s\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_IN_COUNT = re.compile(
    rf"(?<!\w)in (?:about )?(?P<count>{_COUNT}) (?P<unit>day|week|month|year)s?(?!\w)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """One date in a text: where it stands, how it is kept, and the day where the day is certain enough."""

    start: int
    end: int
    text: str
    day: date | None
    month: str  # "November 2026", "" where even that is not known


@dataclass(frozen=True, slots=True)
class _Moment:
    preposition: str
    text: str
    day: date | None
    about: date | None  # a day inside it


def find_dates(text: str, *, today: date, past: bool) -> list[DatePhrase]:
    """Every date in `text`, in order. `past` says which way an open one ("on Friday", "in May") points.

    >>> [phrase.text for phrase in find_dates("flying next Friday", today=date(2026, 11, 26), past=False)]
    ['on 4 December 2026']
    """
    found: list[DatePhrase] = []
    position = 0
    while len(found) < 4:
        match = _first(text, position)
        if match is None:
            return found
        position = match.end()
        moment = None if _is_repeated(text, match.start()) else _resolve(match, today, past)
        if moment is not None:
            month = f"{moment.about:%B %Y}" if moment.about else ""
            found.append(DatePhrase(match.start(), match.end(), _wording(match, moment), moment.day, month))
    return found


def absolute(text: str, *, today: date, past: bool) -> tuple[str, list[DatePhrase]]:
    """`text` with every date made absolute, and the dates."""
    phrases = find_dates(text, today=today, past=past)
    for phrase in reversed(phrases):
        text = f"{text[: phrase.start]}{phrase.text}{text[phrase.end :]}"
    return text, phrases


def is_date(text: str) -> bool:
    """Whether the whole text is one date: "Saturday", "14 March"."""
    return bool(_DATE.fullmatch(text.strip()))


def without_dates(text: str) -> str:
    """`text` with every date taken out, for comparing what happens whenever it happens."""
    return _DATE.sub(" ", _IN_COUNT.sub(" ", text))


def in_words(day: date) -> str:
    """The day as it is kept: "28 November 2026"."""
    return f"{day.day} {day:%B %Y}"


def _first(text: str, position: int) -> re.Match[str] | None:
    match, counted = _DATE.search(text, position), _IN_COUNT.search(text, position)
    if match is None or counted is None:
        return match or counted
    return counted if counted.start() <= match.start() else match


def _is_repeated(text: str, start: int) -> bool:
    return text[:start].rstrip().lower().endswith(("every", "each", "most"))


def _wording(match: re.Match[str], moment: _Moment) -> str:
    groups = match.groupdict()
    said = (groups.get("prep") or "").lower()
    if said in _KEPT_PREPOSITIONS:
        return f"{said} {moment.text}"
    return f"{moment.preposition} {moment.text}"


def _resolve(match: re.Match[str], today: date, past: bool) -> _Moment | None:
    groups = match.groupdict()
    if match.re is _IN_COUNT:
        return _counted(groups["count"], groups["unit"], today, ahead=True)
    for name, read in _READERS.items():
        if groups.get(name):
            try:
                return read(groups, today, past)
            except (ValueError, OverflowError):  # the 31st of February, a thousand years from now
                return None
    return None


def _on(day: date, part: str | None = None) -> _Moment:
    words = {"morning": " in the morning", "afternoon": " in the afternoon", "evening": " in the evening"}
    return _Moment("on", in_words(day) + words.get((part or "").strip().lower(), ""), day, day)


def _in_month(year: int, month: int) -> _Moment:
    first = date(year, month, 1)
    return _Moment("in", f"{first:%B %Y}", None, first)


def _in_year(year: int) -> _Moment:
    return _Moment("in", str(year), None, None)


def _iso(groups: dict[str, str], today: date, past: bool) -> _Moment:
    return _on(date.fromisoformat(groups["iso"]))


def _relative_day(groups: dict[str, str], today: date, past: bool) -> _Moment:
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


def _end_of(groups: dict[str, str], today: date, past: bool) -> _Moment:
    which, unit = groups["end"].lower().split()
    step = 1 if which == "next" else 0
    if unit == "week":
        sunday = today + timedelta(days=6 - today.weekday() + 7 * step)
        return _Moment("at", f"the end of the week, {in_words(sunday)}", None, sunday)
    if unit == "year":
        return _Moment("at", f"the end of {today.year + step}", None, date(today.year + step, 12, 1))
    year, month = _months_from(today, step)
    return _Moment("at", f"the end of {date(year, month, 1):%B %Y}", None, date(year, month, 1))


def _day_and_month(groups: dict[str, str], today: date, past: bool) -> _Moment:
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


def _day_of_month(groups: dict[str, str], today: date, past: bool) -> _Moment:
    day = int(groups["dayonly"].split()[1].rstrip("sthndr"))
    step = 0
    if past and day > today.day:
        step = -1
    elif not past and day < today.day:
        step = 1
    year, month = _months_from(today, step)
    return _on(date(year, month, day))


def _which_unit(groups: dict[str, str], today: date, past: bool) -> _Moment:
    which, unit = groups["which"].lower().split()[-1], groups["unit"].lower()
    if groups["which"].lower() == "this past":
        which = "last"
    step = {"next": 1, "last": -1, "past": -1}.get(which, 0)
    if unit in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        if unit == "week":
            return _Moment("in", f"the week of {in_words(monday)}", None, monday)
        saturday = monday + timedelta(days=5)
        return _Moment("on", f"the weekend of {in_words(saturday)}", None, saturday)
    if unit == "month":
        return _in_month(*_months_from(today, step))
    if unit == "year":
        return _in_year(today.year + step)
    if unit in ("spring", "summer", "autumn", "fall", "winter"):
        return _season(unit, step, today)
    if unit[:3] in {name[:3] for name in WEEKDAYS} and not unit.startswith("mar"):
        return _on(_weekday(unit, today, step=step, past=past))
    month = _month(unit)
    if step > 0:
        return _in_month(today.year + (month <= today.month), month)
    if step < 0:
        return _in_month(today.year - (month >= today.month), month)
    return _in_month(today.year, month)


def _plain_weekday(groups: dict[str, str], today: date, past: bool) -> _Moment:
    return _on(_weekday(groups["weekday"], today, step=0, past=past), groups.get("part2"))


def _some_ago(groups: dict[str, str], today: date, past: bool) -> _Moment | None:
    return _counted(groups["count1"], groups["unit1"], today, ahead="now" in groups["ago"].lower())


def _some_time(groups: dict[str, str], today: date, past: bool) -> _Moment | None:
    return _counted(groups["count2"], groups["unit2"], today, ahead=True)


def _season_of(groups: dict[str, str], today: date, past: bool) -> _Moment:
    name = groups["season"].lower().removeprefix("the ")
    return _Moment("in", f"{name} {_year(groups['season_year'], today)}", None, None)


def _named_month(groups: dict[str, str], today: date, past: bool) -> _Moment | None:
    name, year = groups["month3"], groups["year3"]
    if not year and not groups.get("prep"):
        return None  # "may", "march" and "sept" alone are more often no month at all
    month = _month(name)
    if year:
        return _in_month(_year(year, today), month)
    if past:
        return _in_month(today.year - (month > today.month), month)
    return _in_month(today.year + (month < today.month), month)


def _plain_year(groups: dict[str, str], today: date, past: bool) -> _Moment | None:
    return _in_year(int(groups["year"])) if groups.get("prep") else None


_READERS: dict[str, Callable[[dict[str, str], date, bool], _Moment | None]] = {
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
}


def _counted(count: str, unit: str, today: date, *, ahead: bool) -> _Moment | None:
    number = _NUMBERS.get(count.lower()) or int(count)
    number = number if ahead else -number
    unit = unit.lower()
    if unit == "day":
        return _on(today + timedelta(days=number))
    if unit == "week":
        day = today + timedelta(weeks=number)
        return _Moment("around", in_words(day), day, day)
    if unit == "month":
        return _in_month(*_months_from(today, number))
    return _in_year(today.year + number)


def _weekday(name: str, today: date, *, step: int, past: bool) -> date:
    """`step` 1 is the one of the coming calendar week, -1 the latest before today, 0 the nearest the tense points to."""
    number = next(i for i, full in enumerate(WEEKDAYS) if full.startswith(name.lower()[:3]))
    if step > 0:
        return today - timedelta(days=today.weekday()) + timedelta(days=7 + number)
    if step < 0 or past:
        return today - timedelta(days=(today.weekday() - number) % 7 or 7)
    return today + timedelta(days=(number - today.weekday()) % 7 or 7)


def _season(name: str, step: int, today: date) -> _Moment:
    """The nearest one before (-1), of (0) or after (1) this moment; seasons as in the northern hemisphere."""
    first_month = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[name]
    year = today.year
    if step > 0 and first_month <= today.month:
        year += 1
    elif step < 0 and first_month + 2 >= today.month:
        year -= 1
    return _Moment("in", f"{name} {year}", None, None)


def _month(name: str) -> int:
    return next(i for i, full in enumerate(MONTHS, start=1) if full.startswith(name.lower()[:3]))


def _year(said: str, today: date) -> int:
    return {"next year": today.year + 1, "last year": today.year - 1}.get(said.lower()) or int(said)


def _months_from(today: date, step: int) -> tuple[int, int]:
    index = today.year * 12 + today.month - 1 + step
    return index // 12, index % 12 + 1
