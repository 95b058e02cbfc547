"""Rules: "No, I meant Thursday, not Tuesday", "I never said I like jazz", "I don't have a dog"."""

import re
from datetime import date

from memory.providers.offline.appointments import move_event
from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import find_dates
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import RELATION, clean_name, noun
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import uncapitalised
from memory.providers.offline.slots import folded
from memory.providers.offline.stems import overlap, words

_NEVER_SAID = pattern(
    r"^(?:I (?:never|did not|have not)(?: actually)? (?:said|say|told you|tell you)|(?:that"
    r"|it) is not true)(?: that)? (?P<what>.+)$"
)
_HAVE_NOT = pattern(rf"^(?:I|we) do not have (?:an?|any) (?P<who>{RELATION})$")
_HAVE_NONE = pattern(
    r"^(?:I|we) (?:do not have any|have no) (?P<whom>children|kids|siblings|brothers or sisters|pets|family)$"
)
_IS_SPELT = pattern(
    r"^(?:it|that|he|she|(?:his|her|its|my|the|their) [\w' ]{2,30}?) is (?P<what>.+?)(?: with an? .+)?$"
)
MAX_WORDS = 4  # of what is put in the place of a wrong word


def read_denials(clause: Clause, reading: Reading) -> bool:
    """What was never so, and is therefore struck out rather than put in other words."""
    if found := _NEVER_SAID.match(clause.text):
        line = _newest_with_all(reading, words(found["what"]))
        if line is not None:
            reading.strike(line, "was never said")
        return True
    if found := _HAVE_NONE.match(clause.text):
        reading.keep(clause, "relationship", f"Has no {found['whom'].lower()}")
        return True
    found = _HAVE_NOT.match(clause.text)
    if not found:
        return False
    wanted = words(noun(found["who"]))
    for line in reading.notebook.lines(subject=clause.subject, kind="person"):
        if line.slot.about & wanted and clause.ended:
            reading.rewrite(line, f"No longer {uncapitalised(line.content)}")
        elif line.slot.about & wanted:
            reading.strike(line, "was not so")
    return True


def read_corrections(clause: Clause, reading: Reading) -> bool:
    """ "X, not Y" that no other rule could place: the newest line with Y gets X in its place."""
    return clause.corrects and (_other_date(clause, reading) or _other_word(clause, reading))


def _other_date(clause: Clause, reading: Reading) -> bool:
    dates = find_dates(clause.text, today=reading.today, past=False)
    line = _event_on(reading, clause.instead_of) if dates and len(words(clause.text)) <= 1 else None
    if line is None:
        return False
    move_event(reading, line, dates[0])
    return True


def _event_on(reading: Reading, wrong: str) -> Line | None:
    """The newest event on the day that was wrong; with none named, the newest that has a day."""
    wrong_days = {
        phrase.day
        for past in (False, True)
        for phrase in find_dates(f"on {wrong}", today=reading.today, past=past)
        if phrase.day
    }
    for line in reading.notebook.newest_first():
        if line.type != "event" and line.slot.kind != "event":
            continue
        days = _days_of(line, reading)
        named = {f"{day:%A}".lower() for day in days}
        if (not wrong and days) or days & wrong_days or (wrong and folded(wrong) in named):
            return line
    return None


def _days_of(line: Line, reading: Reading) -> set[date]:
    _, dates = reading.dated(line.content, past=False)
    return {phrase.day for phrase in dates if phrase.day}


def _other_word(clause: Clause, reading: Reading) -> bool:
    found = _IS_SPELT.match(clause.text)
    right = (found["what"] if found else clause.text).strip()
    if not clause.instead_of or len(right.split()) > MAX_WORDS or right.lower().startswith(("i ", "we ")):
        return False
    right = clean_name(right) or right
    wrong = pattern(rf"(?<!\w){re.escape(clause.instead_of)}(?!\w)")
    for line in reading.notebook.newest_first():
        if wrong.search(line.content) and not line.read_only:
            reading.rewrite(line, wrong.sub(lambda _: right, line.content))
            return True
    return False


def _newest_with_all(reading: Reading, wanted: frozenset[str]) -> Line | None:
    """The newest line with every telling word."""
    for line in reading.notebook.newest_first():
        if wanted and overlap(wanted, line.words) == 1.0:
            return line
    return None
