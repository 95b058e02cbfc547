"""Rules: animals that came to stay, births, and deaths."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import NAME, PETS, RELATION, clean_name, noun
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement, with_article
from memory.providers.offline.slots import folded

_PET = "|".join(sorted(map(re.escape, PETS), key=len, reverse=True))
_GOT_PET = pattern(
    rf"^(?:I|we) (?P<how>adopted|got|bought|rescued) (?:an?|our|my|another) (?P<adjective>(?:[\w-]+ ){{0,2}}?)"
    rf"(?P<pet>{_PET})\b(?:,? (?:named|called) (?P<name>{NAME}))?(?P<rest>.*)$"
)
_DIED = pattern(
    rf"^(?:(?:my|our) (?P<relation>{RELATION})(?:,? (?P<name>{NAME}))?|I) (?P<how>died|die|passed away|pass away"
    r"|was put down|was put to sleep)\b(?P<rest>.*)$"
)
_LOST = pattern(rf"^(?:I|we) lost (?:my|our) (?P<relation>{RELATION})(?:,? (?P<name>{NAME}))?(?P<rest> .*|)$")
_EXPECTING = pattern(
    r"^(?:I|we) (?:am|are) (?P<what>(?:pregnant|expecting(?: (?:a|our|my) [\w ]{2,30})?)\b.*)$"
)
_BABY = pattern(
    r"^(?:I|we) had (?:a|our|my|twin) (?:first |second |third )?(?:baby|son|daughter|girl|boy|boys|girls|twins)\b"
)
_PAST = {"die": "died", "pass away": "passed away"}


def read_arrivals(clause: Clause, reading: Reading) -> bool:
    """Pets, babies and those who died."""
    rules = (_pets, _deaths, _babies)
    return any(rule(clause, reading) for rule in rules)


def _pets(clause: Clause, reading: Reading) -> bool:
    found = _GOT_PET.match(clause.text)
    if not found:
        return False
    _, dates = reading.dated(found["rest"], past=True)
    name = clean_name(found["name"], lowercase=clause.lowercase) if found["name"] else ""
    how = "got" if found["how"].lower() == "bought" else found["how"].lower()
    when = f" ({how} {dates[0].text})" if dates else ""
    pet = f"{found['adjective']}{found['pet']}".lower()
    reading.keep(clause, "relationship", f"Has {with_article(pet)}{f' named {name}' if name else ''}{when}")
    if name:
        reading.cast.meet(name, pet)
    else:
        reading.cast.unnamed = pet
    return True


def _deaths(clause: Clause, reading: Reading) -> bool:
    found = _DIED.match(clause.text) or _LOST.match(clause.text)
    if not found or (not found["relation"] and clause.subject == "user"):
        return False
    nameless = clause.subject == "user" or clause.subject.startswith("their ")
    name = clean_name(found["name"] or "") or ("" if nameless else clause.subject)
    relation = found["relation"] or reading.cast.names.get(name) or clause.subject.removeprefix("their ")
    how = (found.groupdict().get("how") or "died").lower()
    _, dates = reading.dated(found["rest"], past=True)
    ending = f"who {_PAST.get(how, how)}{f' {dates[0].text}' if dates else ''}"
    line = _line_on(reading, name, noun(relation))
    if line is not None:
        reading.rewrite(line, f"{re.sub(r'^(?:The user |User )?[Hh]as ', 'Had ', line.content)}, {ending}")
    elif name and noun(relation) in PETS:
        content = f"Had {with_article(relation.lower())} named {name}, {ending}"
        reading.keep(Clause(clause.text), "relationship", content)
    else:
        who = f"Their {relation.lower()} {name}".strip()
        reading.keep(Clause(clause.text), "event", f"{who} {ending.removeprefix('who ')}", dates=dates)
    return True


def _line_on(reading: Reading, name: str, relation: str) -> Line | None:
    """The line that says that there is such a one, by name where there is a name."""
    for line in reading.notebook.lines(subject="user"):
        if line.slot.kind in ("person", "partner") and folded(name or relation) in line.folded:
            return line
    return None


def _babies(clause: Clause, reading: Reading) -> bool:
    if found := _EXPECTING.match(clause.text):
        text, dates = reading.dated(found["what"], past=False)
        reading.keep(clause, "event", capitalised(f"is {text}"), dates=dates)
        return True
    if _BABY.match(clause.text):
        text, dates = reading.dated(clause.text, past=True)
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    return False
