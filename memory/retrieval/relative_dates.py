"""Times that a question names by their distance from today: "yesterday", "last week", "two months ago". Pure.

Only in questions: "Yesterday I saw the dentist" says nothing about when teeth were mentioned before.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from memory.dates import Period
from memory.words import fold

_BEFORE, _AFTER = timedelta(days=1), timedelta(days=3)
_ASKS = re.compile(
    r"[?？؟՞]|^\W*(?:what|when|where|who|which|why|how|did|do|was|were|had|have|can you|could you|remember|remind"
    r"|tell me|wann|wo|wer|wie|welche|que|quand|quando|cuando|come|cosa|donde|quien|onde|quem|wat|waar|wanneer"
    r"|что|когда|где|кто|какой|какая|какие|ماذا|متي|اين|هل|كيف|لماذا)\b"
    r"|か[。!\s]*$|っけ|教えて|覚えて|何(?!も)|いつ(?!も)|どこ(?![もか])|誰(?![もか])|什么|什麼|哪|谁|怎么|吗"
    r"|뭐|언제|어디|누구"
)
# Written like `fold` does. Without French "hier", which is "here" in German.
_LAST = (
    ("day", 2,
     "the day before yesterday|vorgestern|anteayer|l'altro ieri|anteontem|おととい|一昨日|前天|позавчера|그저께"),
    ("day", 1, "yesterday|last night|gestern|ayer|anoche|ieri|ontem|昨日|昨夜|昨晩|昨天|昨晚|вчера|dun|امس|어제"),
    ("weekend", 1,
     "last weekend|letzte[sn]? wochenende|fin de semana pasado|week-?end dernier|(?:weekend|fine settimana) scorso"
     "|fim de semana passado|先週末|上周末|지난 ?주말"),
    ("week", 1,
     "last week|(?:letzten?|vorigen?) woche|semana pasada|semaine derniere|settimana scorsa|semana passada"
     "|先週|上周|上星期|прошл(?:ой|ую) недел[еюи]|gecen hafta|الاسبوع الماضي|지난 ?주"),
    ("month", 1,
     "last month|(?:letzte|vorige)[nr]? monat|mes pasado|mois dernier|mese scorso|mes passado|先月"
     "|上个月|прошлом месяце|gecen ay|الشهر الماضي|지난 ?달"),
    ("year", 1,
     "last year|(?:letzte|vorige)[ns]? jahr|ano pasado|an dernier|annee derniere|anno scorso|ano passado|去年"
     "|昨年|прошлом году|gecen yil|العام الماضي|작년"),
)  # fmt: skip
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer un una une um uma",
            "two zwei dos deux due dois duas couple 二 两",
            "three few drei tres trois tre paar 三",
            "four vier cuatro quatre quattro quatro 四",
            "five funf cinco cinq cinque 五",
            "six sechs seis sei 六",
        ),
        start=1,
    )
    for word in words.split()
}
_UNITS = (
    r"(?P<day>days?|tage?n?|dias?|jours?|giorn[oi]|日|天|일)|(?P<week>weeks?|wochen?|semanas?|semaines?|settiman[ae]|週間|周|주)"
    r"|(?P<month>months?|monat(?:en?)?|mes(?:es)?|mois|mes[ei]|か月|ヶ月|个月|달|개월)|(?P<year>years?|jahre?n?|anos?|ans?|ann[oi]|年|년)"
)
_SO_LONG = rf"(?:an? |ein )?(?P<count>[0-9]{{1,3}}|{'|'.join(_NUMBERS)})(?: of)? ?(?:{_UNITS})"


def _alone(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9])(?:{pattern})(?![a-z])")


_PATTERNS = (
    *((unit, count, _alone(words)) for unit, count, words in _LAST),
    *(
        ("", 0, _alone(words))
        for words in (rf"{_SO_LONG} ?(?:ago|fa|atras|前|以前|전)", rf"(?:vor|hace|il y a|ha) {_SO_LONG}")
    ),
)


@dataclass(frozen=True, slots=True)
class Days:
    """The days from the first to the last, inclusive. A question that names them wants what was told then, which counts
    as much as all its words (a date counts .4 of them, by Weights.date)."""

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
