"""Rules: how the person is called."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import NAME, clean_name
from memory.providers.offline.reading import Reading
from memory.providers.offline.traits import is_nationality

_NAME_IS = pattern(
    rf"^(?:my (?:full |first |real |given )?name is(?: spell?ed| spelt| actually| now)*|I am (?:called"
    rf"|named)) (?P<name>{NAME})"
)
_CALLED = pattern(
    r"^(?:please |just |(?:you|they|people|friends|everyone|everybody|my (?:friends|family)|most people"
    r"|all my friends) )*"
    rf"(?:can |may |should )?(?:just |all |mostly )?(?:calls?|I go by|go by) (?:me )?(?P<name>{NAME})"
)
_NOT_CALLED = pattern(rf"^(?:please )?(?:do not|never) call me (?P<name>{NAME})")
_CALL_ME_WHAT = frozenset(
    "later back crazy maybe tomorrow today tonight when if at on in a an the old any once again soon".split()
)
_SURNAME = pattern(rf"^my (?:surname|last name|family name) is (?P<name>{NAME})")
_AM = re.compile(rf"^(?:I am (?P<name>{NAME})(?:$|,| to (?:my|every|most|all))|(?P<name2>{NAME}) here$)")
_NOT_HERE = frozenset(
    "same right up down out over new nothing nobody everyone everything all still not ditto snow rain also me".split()
)


def read_names(clause: Clause, reading: Reading) -> bool:
    """Names, nicknames, and names that are not wanted."""
    rules = (_unwanted, _surnames, _full_names, _nicknames, _introductions)
    return clause.subject == "user" and any(rule(clause, reading) for rule in rules)


def _unwanted(clause: Clause, reading: Reading) -> bool:
    found = _NOT_CALLED.match(clause.text)
    name = clean_name(found["name"], lowercase=clause.lowercase) if found else ""
    if name:
        reading.keep(clause, "preference", f"Does not want to be called {name}")
    return bool(found)


def _surnames(clause: Clause, reading: Reading) -> bool:
    found = _SURNAME.match(clause.text)
    name = clean_name(found["name"], lowercase=clause.lowercase) if found else ""
    if name:
        reading.keep(clause, "identity", f"Surname is {name}")
    return bool(name)


def _full_names(clause: Clause, reading: Reading) -> bool:
    found = _NAME_IS.match(clause.text)
    name = clean_name(found["name"], lowercase=clause.lowercase) if found else ""
    if name:
        reading.keep(clause, "identity", f"Name is {name}", key="name")
    return bool(found)


def _nicknames(clause: Clause, reading: Reading) -> bool:
    found = _CALLED.match(clause.text)
    if not found or found["name"].split()[0].lower() in _CALL_ME_WHAT:
        return False
    alone = " " not in found["name"] and found.end() == len(clause.text)
    name = clean_name(found["name"], lowercase=clause.lowercase and alone)
    if not name:
        return False
    known = next(reading.notebook.lines(subject="user", kind="name"), None)
    full = known.content.partition(", goes by ")[0] if known else ""
    another = full and name.lower() not in full.lower().split()
    reading.keep(clause, "identity", f"{full}, goes by {name}" if another else f"Goes by {name}", key="name")
    return True


def _introductions(clause: Clause, reading: Reading) -> bool:
    """ "I'm Maya", from somebody whose name is not known; nobody else's "I'm Batman" changes a name."""
    found = _AM.match(clause.text)
    name = (found["name"] or found["name2"]) if found else ""
    if not name or clause.lowercase or clean_name(name) != name or name.lower() in _NOT_HERE:
        return False
    if is_nationality(name) or next(reading.notebook.lines(subject="user", kind="name"), None):
        return False
    reading.keep(clause, "identity", f"Name is {name}", key="name")
    return True
