"""Rules: marriage, engagement, parting; the person's own place in the family."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import NAME, clean_name
from memory.providers.offline.reading import Reading

_IS = pattern(
    rf"^(?:I|we) (?:am|are|have been) (?:happily )?(?P<what>married|engaged|single|divorced|separated|widowed"
    rf"|a widow|a widower)\b(?: to (?P<name>{NAME}))?"
)
_GETTING = pattern(
    rf"^(?:I|we) (?:am|are) getting (?P<what>married|engaged|divorced)\b(?: to (?P<name>{NAME}))?(?P<rest>.*)$"
)
_GOT = pattern(rf"^(?:I|we) got (?P<what>married|engaged|divorced)\b(?: to (?P<name>{NAME}))?(?P<rest>.*)$")
_BROKE_UP = pattern(
    r"^(?:(?:I|we) (?:broke up|split up|separated)|(?:I|we) are not together)(?: with (?:my )?(?:boyfriend"
    r"|girlfriend|partner)? ?(?P<name>.*?))?$"
)
_LEFT_ME = pattern(
    r"^my (?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?) (?:dumped me|left me|broke up with me)\b"
)
_DATING = pattern(rf"^I am (?:dating|seeing|going out with) (?P<name>{NAME})")
_KIN = pattern(
    r"^I am (?P<what>an only child|a (?:single |new |stay-at-home |proud )?(?:mother|father|mom|mum|dad|parent"
    r"|grandmother|grandfather|grandma|grandpa|twin)(?: of [\w ]{1,20})?|the (?:oldest|eldest|youngest"
    r"|middle)(?: child| sibling)?(?: of \w+)?(?: siblings| children)?)$"
)


def read_partners(clause: Clause, reading: Reading) -> bool:
    """Whom the person is with, and no longer with."""
    rules = (_states, _weddings_to_come, _changes, _partings, _dates, _kin)
    return any(rule(clause, reading) for rule in rules)


def _keep(clause: Clause, reading: Reading, content: str) -> bool:
    reading.keep(clause, "relationship", content, key="partner")
    return True


def _states(clause: Clause, reading: Reading) -> bool:
    found = _IS.match(clause.text)
    if not found:
        return False
    what = found["what"].lower()
    name = clean_name(found["name"] or "") or _known_name(clause, reading)
    to_whom = f" to {name}" if name and what in ("married", "engaged") else ""
    return _keep(clause, reading, f"Is {what}{to_whom}")


def _weddings_to_come(clause: Clause, reading: Reading) -> bool:
    found = _GETTING.match(clause.text)
    if not found:
        return False
    _, dates = reading.dated(found["rest"], past=False)
    name = clean_name(found["name"] or "")
    to_whom = f" to {name}" if name else ""
    when = f" {dates[0].text}" if dates else ""
    reading.keep(clause, "event", f"Is getting {found['what'].lower()}{to_whom}{when}", dates=dates)
    return True


def _changes(clause: Clause, reading: Reading) -> bool:
    found = _GOT.match(clause.text)
    if not found:
        return False
    what = found["what"].lower()
    _, dates = reading.dated(found["rest"], past=True)
    when = f" {dates[0].text}" if dates else ""
    if what == "divorced":
        return _keep(clause, reading, f"Got divorced{when}")
    name = clean_name(found["name"] or "") or _known_name(clause, reading)
    to_whom = f" to {name}" if name else ""
    return _keep(clause, reading, f"Is {what}{to_whom}{f' (got {what}{when})' if when else ''}")


def _partings(clause: Clause, reading: Reading) -> bool:
    found = _BROKE_UP.match(without_dates(clause.text).strip())
    left = _LEFT_ME.match(clause.text)
    if not found and not left:
        return False
    name = clean_name((found and found["name"]) or "") or _known_name(clause, reading)
    if not name and not left and not _known(clause, reading) and "with" not in clause.text:
        return False
    _, dates = reading.dated(clause.text, past=True)
    when = f" {dates[0].text}" if dates else ""
    return _keep(clause, reading, f"Broke up with {name or 'their partner'}{when}")


def _dates(clause: Clause, reading: Reading) -> bool:
    found = _DATING.match(clause.text)
    name = clean_name(found["name"]) if found else ""
    return bool(name) and _keep(clause, reading, f"Is dating {name}")


def _kin(clause: Clause, reading: Reading) -> bool:
    found = _KIN.match(clause.text)
    if found:
        reading.keep(clause, "relationship", f"Is {found['what'].lower()}")
    return bool(found)


def _known(clause: Clause, reading: Reading) -> Line | None:
    return next(reading.notebook.lines(subject=clause.subject, kind="partner"), None)


def _known_name(clause: Clause, reading: Reading) -> str:
    """The partner's name, where the list knows it."""
    line = _known(clause, reading)
    found = re.search(rf"\b(?:named|called|to|dating) (?P<name>{NAME})", line.content) if line else None
    return clean_name(found["name"]) if found else ""
