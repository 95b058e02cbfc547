"""Resolves dates as people say them ("next Friday", "in two weeks", "on the 3rd") from the day of the message."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from dateutil.parser import parse  # type: ignore[import-untyped]
from dateutil.relativedelta import relativedelta, weekday  # type: ignore[import-untyped]

from providers.llm.offline.wording import is_past

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
}  # fmt: skip
_RELATIVE_DAYS = {
    "the day after tomorrow": 2, "tomorrow": 1, "yesterday": -1, "last night": -1, "the day before yesterday": -2,
}  # fmt: skip
_KEPT_PREPOSITIONS = "by until till before after from since around about for to".split()
_AHEAD = ("for", "to", "by", "until", "till")  # before these dates something is done: "I booked for May"
_TO_COME = re.compile(r"\b(?:start|beginn?)(?:s|ing) ?$", re.IGNORECASE)
_IS = re.compile(
    r"\b(?:is|are|will be) $", re.IGNORECASE
)  # whatever was before: "I got mixed up, the exam is on 3 May"
_DONE = re.compile(r"\b(?:I|we|you|he|she|it|they|who|which|that) (?P<verb>\w+) ?$", re.IGNORECASE)
# With these, a verb of the past says nothing: "was moved to Friday", "is what I wanted".
_NOT_OVER = re.compile(
    r"\b(?:is|are|will|(?:re)?scheduled|moved|pushed|postponed|brought|changed|shifted|delayed|planned|booked|set)\b",
    re.IGNORECASE,
)
ALMOST_A_YEAR = 270  # days
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_SEASON = rf"(?:{'|'.join(_SEASONS)})"
_COUNT = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNITS = r"(day|week|month|year)s?(?:'s)?"
_YEAR = r"(?:19|20)\d\d"
_PART = r"( (?:morning|afternoon|evening|night))?"
_NOT_A_DAY = (
    "time|floor|grade|edition|century|anniversary|birthday|place|one|half|part|day|year|person|best|most|round|season"
    "|book|film|movie|game|attempt|try|chapter|class"
)


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """A date in a text: its place, the text to store, and the day if it is certain enough."""

    start: int
    end: int
    text: str
    day: date | None
    month: str  # "November 2026"; "" if unknown

    @property
    def happens_at(self) -> str:
        """The day, or the month if only that was said; "" if it is less certain, or not when something happens."""
        if self.day:
            return self.day.isoformat()
        whole = self.text in (f"in {self.month}", f"for {self.month}")
        name, _, year = self.month.partition(" ")
        return f"{year:0>4}-{_MONTHS.index(name[:3].lower()) + 1:02}" if whole else ""


# A preposition, the words, the day if it is one, and a day within the period if there is one.
_Moment = tuple[str, str, date | None, date | None]
_Reader = Callable[[re.Match[str], date, bool], _Moment]


def find_dates(text: str, *, today: date, past: bool) -> list[DatePhrase]:
    """The first four dates of `text`. `past`: whether an ambiguous one ("on Friday", "in May") lies in the past."""
    found: list[DatePhrase] = []
    for match in _ANY.finditer(text):
        if text[: match.start()].rstrip().lower().endswith(("every", "each", "most")):
            continue
        given = (match["prep"] or "").lower()
        before = text[: match.start()]
        told_past = past and not _IS.search(before)
        gone = (told_past or (given not in _AHEAD and _is_done(before))) and not _TO_COME.search(before)
        moment = _moment(match, today, gone)
        if gone and given == "to" and not _follows(moment, found):  # "I moved it to Friday"
            moment = _moment(match, today, False)
        if moment is not None and len(found) < 4:
            preposition, said, day, within = moment
            kept = given if given in _KEPT_PREPOSITIONS else preposition
            month = f"{within:%B %Y}" if within else ""
            found.append(DatePhrase(match.start(), match.end(), f"{kept} {said}", day, month))
    return found


def _is_done(before: str) -> bool:
    """Return whether a verb of the past stands before a date, as in "the lamp I bought in January"."""
    found = _DONE.search(before)
    return found is not None and is_past(found["verb"].lower())


def _follows(moment: _Moment | None, found: list[DatePhrase]) -> bool:
    """Return whether it is the end of what began on the date before it."""
    if moment is None or not found:
        return False
    return not (moment[2] and found[-1].day) or moment[2] > found[-1].day


def is_over(text: str, dates: Sequence[DatePhrase], today: date) -> bool:
    """Return whether an appointment is told as over, "My exam on Monday was awful"; also without a verb, if it would be
    almost a year ahead.
    """
    if not dates or _NOT_OVER.search(text):
        return False
    far = dates[0].day is not None and (dates[0].day - today).days > ALMOST_A_YEAR
    return far or any(map(is_past, text.lower().split()))


def absolute(text: str, *, today: date, past: bool) -> tuple[str, list[DatePhrase]]:
    """Return `text` with its dates made absolute, and the dates."""
    phrases = find_dates(text, today=today, past=past)
    for phrase in reversed(phrases):
        text = f"{text[: phrase.start]}{phrase.text}{text[phrase.end :]}"
    return text, phrases


def is_date(text: str) -> bool:
    """Return whether the whole text is one date: "Saturday", "14 March"."""
    return bool(_ANY.fullmatch(text.strip()))


def without_dates(text: str) -> str:
    """`text` without its dates, to compare events regardless of when they happen."""
    return _ANY.sub(" ", text)


def in_words(day: date) -> str:
    """The day as it is stored: "28 November 2026"."""
    return f"{day.day} {day:%B %Y}"


def _moment(match: re.Match[str], today: date, past: bool) -> _Moment | None:
    said = match["date"].lower()
    if not match["prep"] and re.fullmatch(rf"{_MONTH}|{_YEAR}", said):
        return None  # "may" and "march" alone are usually not months
    for wording, read in _READERS.items():
        if found := re.fullmatch(wording, said):
            try:
                return read(found, today, past)
            except (ValueError, OverflowError):  # the 31st of February, a thousand years from now
                return None
    return None


def _on(day: date, part: str | None = "") -> _Moment:
    part = (part or "").strip()
    return "on", in_words(day) + (f" in the {part}" if part and part != "night" else ""), day, day


def _in_month(day: date) -> _Moment:
    return "in", f"{day:%B %Y}", None, day


def _relative_day(found: re.Match[str], today: date, past: bool) -> _Moment:
    said = found[1]
    part = found[2] or (said.removeprefix("this ") if said.startswith("this ") else "")
    return _on(today + relativedelta(days=_RELATIVE_DAYS.get(said, 0)), part)


def _end_of(found: re.Match[str], today: date, past: bool) -> _Moment:
    step = int(found[1] == "next")
    if found[2] == "week":
        sunday = today + relativedelta(weeks=step, weekday=weekday(6))
        return "at", f"the end of the week, {in_words(sunday)}", None, sunday
    month = (
        date(today.year + step, 12, 1) if found[2] == "year" else today + relativedelta(months=step, day=1)
    )
    return "at", f"the end of {month.year if found[2] == 'year' else f'{month:%B %Y}'}", None, month


def _day_and_month(found: re.Match[str], today: date, past: bool) -> _Moment:
    day = parse(found[0].replace("the ", ""), default=datetime.combine(today, time())).date()
    if not re.search(_YEAR, found[0]):
        day += relativedelta(years=-1 if past and day > today else int(not past and day < today))
    return _on(day)


def _day_of_month(found: re.Match[str], today: date, past: bool) -> _Moment:
    day = int(found[1])
    step = -1 if past and day > today.day else int(not past and day < today.day)
    month = today + relativedelta(months=step, day=1)
    return _on(month.replace(day=day))


def _which(found: re.Match[str], today: date, past: bool) -> _Moment:
    """ "Next week", "last summer", "this Friday": the nearest one after, before or at this moment."""
    step = {"next": 1, "last": -1, "past": -1}.get(found[1].split()[-1], 0)
    unit = found[2]
    if unit.startswith("week"):
        monday = today + relativedelta(weekday=weekday(0, -1)) + relativedelta(weeks=step)
        saturday = monday + relativedelta(days=5)
        if unit == "week":
            return "in", f"the week of {in_words(monday)}", None, monday
        return "on", f"the weekend of {in_words(saturday)}", None, saturday
    if unit == "month":
        return _in_month(today + relativedelta(months=step, day=1))
    if unit == "year":
        return "in", str((today + relativedelta(years=step)).year), None, None
    if unit in _SEASONS:
        later, earlier = _SEASONS[unit] <= today.month, _SEASONS[unit] + 2 >= today.month
        return "in", f"{unit} {today.year + (step > 0 and later) - (step < 0 and earlier)}", None, None
    if unit[:3] in _DAYS and unit[:3] not in _MONTHS:
        return _on(_day_of_week(unit, today, step, past))
    month = _MONTHS.index(unit[:3]) + 1
    return _in_month(
        date(today.year + (step > 0 and month <= today.month) - (step < 0 and month >= today.month), month, 1)
    )


def _day_of_week(name: str, today: date, step: int, past: bool) -> date:
    number = _DAYS.index(name[:3])
    to_it = relativedelta(days=1, weekday=weekday(number))
    if step > 0:
        to_it = relativedelta(days=7 - today.weekday() + number)
    elif step < 0 or past:
        to_it = relativedelta(days=-1, weekday=weekday(number, -1))
    found: date = today + to_it
    return found


def _counted(found: re.Match[str], today: date, past: bool) -> _Moment:
    number = _NUMBERS.get(found[1]) or int(found[1])
    number = -number if found[0].endswith("ago") else number
    day = today + relativedelta(**{f"{found[2]}s": number})
    if found[2] == "year":
        return "in", str(day.year), None, None
    if found[2] == "month":
        return _in_month(day.replace(day=1))
    return ("around", in_words(day), day, day) if found[2] == "week" else _on(day)


def _season(found: re.Match[str], today: date, past: bool) -> _Moment:
    return "in", f"{found[1]} {_year(found[2], today)}", None, None


def _month(found: re.Match[str], today: date, past: bool) -> _Moment:
    month = _MONTHS.index(found[1][:3]) + 1
    if found[2]:
        return _in_month(date(_year(found[2], today), month, 1))
    step = -1 if past and month > today.month else int(not past and month < today.month)
    return _in_month(date(today.year + step, month, 1))


def _year(said: str, today: date) -> int:
    return {"next year": today.year + 1, "last year": today.year - 1}.get(said) or int(said)


_READERS: dict[str, _Reader] = {
    r"\d{4}-\d{2}-\d{2}": lambda found, today, past: _on(date.fromisoformat(found[0])),
    r"(the day after tomorrow|the day before yesterday|today|tonight|tomorrow|yesterday|last night"
    rf"|this (?:morning|afternoon|evening)){_PART}": _relative_day,
    r"(?:the )?end of (the|this|next) (week|month|year)": _end_of,
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b\.?(?:,? {_YEAR})?"
    rf"|{_MONTH}\b\.? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,? {_YEAR})?": _day_and_month,
    rf"the (\d{{1,2}})(?:st|nd|rd|th)(?! (?:{_NOT_A_DAY})\b)": _day_of_month,
    rf"(this coming|this past|next|this|last|coming|past) (week|weekend|month|year|{_SEASON}|{_MONTH}|{_WEEKDAY}"
    r"|mon|tues?|wed|thurs?|fri|sat|sun)\b(?! old)": _which,
    rf"({_WEEKDAY}) week": lambda found, today, past: _on(
        _day_of_week(found[1], today, 0, False) + relativedelta(weeks=1)
    ),
    rf"({_WEEKDAY}){_PART}": lambda found, today, past: _on(_day_of_week(found[1], today, 0, past), found[2]),
    rf"({_COUNT}) {_UNITS} (?:ago|from now|time)": _counted,
    rf"in (?:about )?({_COUNT}) {_UNITS}": _counted,
    rf"(?:the )?({_SEASON}) (?:of )?({_YEAR}|next year|last year)": _season,
    rf"({_MONTH})(?: (?:of )?({_YEAR}|next year|last year))?": _month,
    _YEAR: lambda found, today, past: ("in", found[0], None, None),
}
_ANY = re.compile(
    r"(?<![\w/.-])(?:(?P<prep>by|until|till|before|after|from|since|around|about|on|in|at|during|over|for|to) )?"
    rf"(?P<date>{'|'.join(_READERS)})(?![\w]|-\w|/\d|'s\b)",
    re.IGNORECASE,
)
