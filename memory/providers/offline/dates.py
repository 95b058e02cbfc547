"""Dates as people say them ("next Friday", "in two weeks", "on the 3rd"), made absolute from the day of the message."""

import re
from dataclasses import dataclass
from datetime import date

from memory.providers.offline.moments import Moment, resolve

# Prepositions that mean something of their own; every other one ("on", "at", "in", "this") is chosen anew.
_KEPT_PREPOSITIONS = ("by", "until", "till", "before", "after", "from", "since", "around", "about")

_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
_WEEKDAY = r"monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SHORT_DAY = r"mon|tues?|wed|thurs?|fri|sat|sun"
_COUNT = r"\d{1,3}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_SEASON = r"spring|summer|autumn|fall|winter"

_DATE = re.compile(
    rf"""(?<![\w/.-])
    (?:(?P<prep>by|until|till|before|after|from|since|around|about|on|in|at|during|over|for)\s+)?
    (?:
      (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})
    | (?P<relday>the\ day\ after\ tomorrow|the\ day\ before\ yesterday|today|tonight|tomorrow|yesterday
        |this\ (?:morning|afternoon|evening)|last\ night)(?P<part>\ (?:morning|afternoon|evening|night))?
    | (?:the\ )?end\ of\ (?P<end>(?:the|this|next)\ (?:week|month|year))
    | (?:the\ )?(?P<day1>{_ORDINAL})\ (?:of\ )?(?P<month1>{_MONTH})\b\.?(?:,?\ (?P<year1>(?:19|20)\d\d))?
    | (?P<month2>{_MONTH})\b\.?\ (?:the\ )?(?P<day2>\d{{1,2}}(?:st|nd|rd|th)?)(?!\d)(?:,?\ (?P<year2>(?:19|20)\d\d))?
    | (?P<dayonly>the\ \d{{1,2}}(?:st|nd|rd|th))(?!\ (?:time|floor|grade|edition|century|anniversary|birthday
        |place|one|half|part|day|year|person|best|most|round|season|book|film|movie|game|attempt|try|chapter|class)\b)
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
    rf"(?<!\w)in (?:about )?(?P<in_count>{_COUNT}) (?P<in_unit>day|week|month|year)s?(?!\w|'s)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """One date in a text: where it stands, how it is kept, and the day where the day is certain enough."""

    start: int
    end: int
    text: str
    day: date | None
    month: str  # "November 2026", "" where even that is not known


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
        repeated = _is_repeated(text, match.start())
        moment = None if repeated else resolve(match.groupdict(default=""), today=today, past=past)
        if moment is not None:
            month = f"{moment.within:%B %Y}" if moment.within else ""
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


def _first(text: str, position: int) -> re.Match[str] | None:
    match, counted = _DATE.search(text, position), _IN_COUNT.search(text, position)
    if match is None or counted is None:
        return match or counted
    return counted if counted.start() <= match.start() else match


def _is_repeated(text: str, start: int) -> bool:
    return text[:start].rstrip().lower().endswith(("every", "each", "most"))


def _wording(match: re.Match[str], moment: Moment) -> str:
    said = (match.groupdict().get("prep") or "").lower()
    if said in _KEPT_PREPOSITIONS:
        return f"{said} {moment.text}"
    return f"{moment.preposition} {moment.text}"
