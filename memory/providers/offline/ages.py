"""Rules: age, birthday, when and where somebody was born."""

import re
from dataclasses import replace

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import find_dates
from memory.providers.offline.moments import MONTHS, in_words
from memory.providers.offline.patterns import pattern
from memory.providers.offline.places import place_in
from memory.providers.offline.reading import Reading

_TENS = dict(
    zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True)
)
_UNITS = dict(zip("one two three four five six seven eight nine".split(), range(1, 10), strict=True))
_IN_LETTERS = pattern(rf"(?<=^I am )(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{'|'.join(_UNITS)}))?\b")
_AGE = pattern(r"^I am (?P<age>\d{1,2}|1[01]\d)(?: years? old| years of age| yo)?(?=$|,| and (?!a half))")
_TURNED = pattern(r"^I turned (?P<age>\d{1,3})(?P<rest>\b.*)$")
_TURNING = pattern(r"^I (?:am turning|will be|will turn|turn) (?P<age>\d{1,3})(?P<rest> .+)$")
_BIRTHDAY = pattern(r"^(?:my birthday (?:is|falls)|(?:it|today|tomorrow) is my birthday)\b")
_BORN = pattern(r"^I was born (?P<rest>.+)$")
_NAMED_DAY = pattern(rf"\b(?:{'|'.join(MONTHS)})\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def read_ages(clause: Clause, reading: Reading) -> bool:
    """Ages and birthdays."""
    return any(rule(clause, reading) for rule in (_ages, _ages_to_come, _birthdays, _births))


def _ages(clause: Clause, reading: Reading) -> bool:
    clause = replace(clause, text=_IN_LETTERS.sub(_in_digits, clause.text, count=1))
    found = _AGE.match(clause.text) or _TURNED.match(clause.text)
    if not found:
        return False
    when = f"as of {reading.today:%B %Y}"
    if found.re is _TURNED:
        dates = find_dates(found["rest"], today=reading.today, past=True)
        month = dates[0].month if dates else f"{reading.today:%B %Y}" if clause.recent else ""
        when = f"turned {found['age']} in {month}" if month else when
    reading.keep(clause, "identity", f"Is {found['age']} years old ({when})", key="age")
    return True


def _in_digits(found: re.Match[str]) -> str:
    return str(_TENS[found["tens"].lower()] + _UNITS.get((found["unit"] or "").lower(), 0))


def _ages_to_come(clause: Clause, reading: Reading) -> bool:
    found = _TURNING.match(clause.text)
    rest, dates = reading.dated(found["rest"], past=False) if found else ("", [])
    if not found or not dates:
        return False
    reading.keep(clause, "event", f"Turns {found['age']}{rest}", dates=dates)
    return True


def _birthdays(clause: Clause, reading: Reading) -> bool:
    dates = find_dates(clause.text, today=reading.today, past=False) if _BIRTHDAY.match(clause.text) else []
    if not dates:
        return False
    if day := dates[0].day:
        reading.keep(clause, "identity", f"Birthday is on {day.day} {day:%B}", key="birthday")
    elif dates[0].month:
        reading.keep(clause, "identity", f"Birthday is in {dates[0].month.split()[0]}", key="birthday")
    return True


def _births(clause: Clause, reading: Reading) -> bool:
    found = _BORN.match(clause.text)
    if not found:
        return False
    dates = find_dates(found["rest"], today=reading.today, past=True)
    if dates and (day := dates[0].day):
        # "On 3 August" names no year; "last Tuesday" is one day alone.
        whole = _YEAR.search(found["rest"]) or not _NAMED_DAY.search(found["rest"])
        reading.keep(
            clause,
            "identity",
            f"Was born on {in_words(day) if whole else f'{day.day} {day:%B}'}",
            key="birthday",
        )
    elif dates:
        reading.keep(clause, "identity", f"Was born {dates[0].text}")
    if place := place_in(found["rest"].removeprefix("in "), clause):
        reading.keep(clause, "identity", f"Was born in {place}")
    return True
