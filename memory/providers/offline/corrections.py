"""Rules: "No, I meant Thursday, not Tuesday", "I never said I like jazz", "I don't have a dog"."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import find_dates
from memory.providers.offline.events import move_event
from memory.providers.offline.notebook import Line
from memory.providers.offline.people import RELATION, clean_name, noun
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import uncapitalised
from memory.providers.offline.slots import folded
from memory.providers.offline.stems import overlap, words

_NEVER_SAID = re.compile(
    r"^(?:I (?:never|did not|have not)(?: actually)? (?:said|say|told you|tell you)|(?:that|it) is not true)(?: that)? (?P<what>.+)$", re.IGNORECASE
)
_HAVE_NOT = re.compile(rf"^(?:I|we) do not have (?:an?|any) (?P<what>{RELATION}|[\w ]{{2,40}})$", re.IGNORECASE)
_SPELT = re.compile(r"^(?:it|that|he|she|(?:his|her|its|my|the|their) [\w' ]{2,30}?) is (?P<what>.+?)(?: with an? .+)?$", re.IGNORECASE)
_SAME_AGAIN = re.compile(r"^(?:I meant |I mean |it is |make that )?(?:on )?(?P<what>.+)$", re.IGNORECASE)


def read_denials(clause: Clause, reading: Reading) -> bool:
    """What was never so, and is therefore struck out rather than put in other words."""
    if found := _NEVER_SAID.match(clause.text):
        line = _closest(reading, words(found["what"]))
        if line is not None:
            reading.strike(line, "was never said")
        return True
    if found := _HAVE_NOT.match(clause.text):
        wanted = frozenset({noun(found["what"])})
        for line in reading.notebook.lines(subject=clause.subject):
            if line.slot.kind == "person" and (line.slot.about & words(" ".join(wanted))):
                if clause.ended:
                    reading.rewrite(line, f"No longer {uncapitalised(line.content)}")
                else:
                    reading.strike(line, "was not so")
        return True
    return False


def read_corrections(clause: Clause, reading: Reading) -> bool:
    """ "X, not Y" that no other rule could place: the newest line with Y gets X in its place."""
    if not clause.corrects:
        return False
    return _other_date(clause, reading) or _other_word(clause, reading)


def _other_date(clause: Clause, reading: Reading) -> bool:
    said = _SAME_AGAIN.match(clause.text)
    dates = find_dates(clause.text, today=reading.today, past=False)
    if not said or not dates or len(words(clause.text)) > 1:
        return False
    line = _event_on(reading, clause.instead_of)
    if line is None:
        return False
    move_event(reading, line, dates[0])
    return True


def _event_on(reading: Reading, wrong: str) -> Line | None:
    """The newest event on the day that was wrong, else the newest with a date at all."""
    wrong_days = {phrase.day for past in (False, True) for phrase in find_dates(f"on {wrong}", today=reading.today, past=past)}
    wrong_words = folded(wrong)
    dated: list[Line] = []
    for line in reading.notebook.newest_first():
        if line.type != "event" and line.slot.kind != "event":
            continue
        days = {phrase.day for phrase in reading.dated(line.content, past=False)[1]}
        if wrong and (days & wrong_days - {None} or wrong_words in folded(line.content) or _weekdays(days) & {wrong_words}):
            return line
        dated += [line] if days else []
    return dated[0] if dated and not wrong else None


def _weekdays(days: set[object]) -> set[str]:
    return {f"{day:%A}".lower() for day in days if day is not None}


def _other_word(clause: Clause, reading: Reading) -> bool:
    if not clause.instead_of:
        return False
    found = _SPELT.match(clause.text)
    right = (found["what"] if found else clause.text).strip()
    if len(right.split()) > 4 or right.lower().startswith(("i ", "we ")):
        return False
    right = clean_name(right) or right
    for line in reading.notebook.newest_first():
        pattern = re.compile(rf"(?<!\w){re.escape(clause.instead_of)}(?!\w)", re.IGNORECASE)
        if pattern.search(line.content) and not line.read_only:
            reading.rewrite(line, pattern.sub(lambda _: right, line.content))
            return True
    return False


def _closest(reading: Reading, wanted: frozenset[str]) -> Line | None:
    """The newest line with every telling word that is denied."""
    return next((line for line in reading.notebook.newest_first() if wanted and overlap(wanted, words(line.content)) == 1.0), None)
