"""Changes of known lines by a clause: corrections, goals that were reached, dates that moved, names."""

import re
from collections.abc import Collection
from dataclasses import replace

from providers.llm.offline.clauses import Clause
from providers.llm.offline.keeping import event_about, keep_stated, leave_job, move_event
from providers.llm.offline.lines import Line, days_in
from providers.llm.offline.reader import Reader
from providers.llm.offline.wording import (
    NAME,
    RELATION,
    about_them,
    clean_name,
    folded,
    mentions,
    noun,
    overlap,
    part,
    pattern,
    statement,
    with_article,
    words,
)

_PURSUING = words(
    "learn train run try start save pass get going play do take"
)  # tell how a goal is pursued, not which one
# By how it ended: the kinds of facts, besides goals, that end so.
_ENDED = dict.fromkeys(("gave up", "stopped", "quit"), ("other", "medicine")) | {"do not take": ("medicine",)}
_PREPOSITION = pattern(r"^(?:in|at|on|to|for|with|from) ")
_A_NAME_IS = pattern(r"'s name is|^(?:his|her|its) name is|^(?:I|we) (?:named|called) ")
_ONE_NAMED = pattern(rf"^Has an? (?P<relation>{RELATION}) named (?P<name>{NAME})")


def change_or_keep(clause: Clause, reader: Reader) -> bool:
    """Apply the clause to the list. Returns whether a rule matched; the first one that does wins."""
    return any(change(clause, reader) for change in CHANGES)


def acts_on_known(said: Clause) -> bool:
    """Return whether the clause may end, reach or correct something said before."""
    names = ("GAVE_UP", "REACHED")
    return said.ended or said.corrects or any(part(name).match(said.text) for name in names)


def meet_mentioned(clause: Clause, reader: Reader) -> None:
    """Add everybody named with a relation ("my sister Ana"), whatever else it says."""
    for relation, name in mentions(clause.text):
        if not part("NO_MENTION").search(clause.text):
            _introduce(clause, reader, relation, name)
        reader.meet(name, relation)


def _introduce(clause: Clause, reader: Reader, relation: str, name: str) -> None:
    """Add "Has a sister named Ana". A correction ("not Anna") changes the line with the wrong name instead."""
    known = [line.folded for line in reader.lines("user")]
    if _rename(clause, reader, name) or any(
        noun(relation) in content and folded(name) in content for content in known
    ):
        return
    if fact := reader.find_fact(Clause(f"I have {with_article(relation.lower())} named {name}")):
        reader.keep(Clause(clause.text), replace(fact, how=""))


def _rename(clause: Clause, reader: Reader, name: str) -> bool:
    """Correct the name in a line about a person. Returns whether there was one."""
    return _put_right(reader, list(reader.lines("user", "person", "partner", "name")), clause, name)


def _put_right(reader: Reader, lines: list[Line], clause: Clause, right: str) -> bool:
    """Replace the wrong word by the right one in the first line that has it. Returns whether there was one."""
    wrong = pattern(rf"(?<!\w){re.escape(clause.instead_of) or '(?!)'}(?!\w)")
    for line in lines:
        if wrong.search(line.content) and not line.read_only:
            reader.rewrite(line, wrong.sub(lambda _: right, line.content))
            return True
    return False


def _names_given(clause: Clause, reader: Reader) -> bool:
    """ "Her name is Miso", "We named the puppy Biscuit", "My dog is called Rex, not Max"."""
    found = part("NAME_GIVEN").match(clause.text)
    if not found or not (found["mark"] or _A_NAME_IS.search(clause.text) or clause.instead_of):
        return False
    name = clean_name(found["name"] or found["name2"], lowercase=clause.lowercase)
    relation = (found["relation"] or found["relation2"] or reader.unnamed).lower()
    newest = reader.newest_first()[:1]
    wrong = _ONE_NAMED.match(newest[0].content) if newest and clause.corrects else None
    if wrong and not clause.instead_of and relation in ("", wrong["relation"].lower()):
        clause, relation = replace(clause, instead_of=wrong["name"]), wrong["relation"]
    if not name or not relation:
        return bool(name) and _rename(clause, reader, name)
    start = f"Has {with_article(relation)}"
    nameless = (line for line in reader.newest_first() if line.content.startswith(start))
    line = next((line for line in nameless if " named " not in line.content), None)
    if line is not None:
        reader.rewrite(line, f"{start} named {name}{line.content.removeprefix(start)}")
    else:
        _introduce(clause, reader, relation, name)
    reader.meet(name, relation)
    reader.unnamed = ""
    return True


def _goals(clause: Clause, reader: Reader) -> bool:
    """Update goals that were given up or reached."""
    text = statement(reader.dated(clause.text, past=True)[0])
    found = part("GAVE_UP").match(clause.text)
    how = found["how"].lower() if found else ""
    if found and (line := _goal_about(clause, reader, found["what"], ended=_ENDED.get(how, ()))):
        what = about_them(found["what"].partition(" because ")[0])
        over = {"do not want to": f"No longer wants to {what}", "am not": f"Is no longer {what}"}
        reader.rewrite(line, over.get(how, text))
        return True
    line = _goal_about(clause, reader, clause.text) if part("REACHED").match(clause.text) else None
    if line is None or line.fact.kind == "move":
        return False
    reader.rewrite(line, f"{text} (goal reached)")
    return True


def _goal_about(clause: Clause, reader: Reader, what: str, *, ended: Collection[str] = ()) -> Line | None:
    """The open goal that shares the most significant words with `what`; None if none is close. `ended`: the kinds of
    what is done that are meant, too, if they have all of them.
    """
    said = words(what) - _PURSUING
    close: list[tuple[float, Line]] = []
    for line in reader.lines(clause.subject):
        goal = line.words - _PURSUING
        shared = goal & said
        pursued = line.type == "goal" or line.fact.kind in ("goal", "move")
        score = (overlap(said, goal) + overlap(goal, said)) / 2
        alike = score >= 0.5 and (len(shared) >= 2 or (shared == goal and len(said) <= 2))
        done = bool(said) and shared == said and (line.fact.kind in ended or (pursued and bool(ended)))
        if not line.settled and (done or (pursued and alike)):
            close.append((score, line))
    return max(close, key=lambda one: one[0])[1] if close else None


def _events_changed(clause: Clause, reader: Reader) -> bool:
    """ "The interview got moved to Monday", "The trip is cancelled"."""
    cancelled, moved = part("CANCELLED").match(clause.text), part("MOVED_EVENT").match(clause.text)
    if found := cancelled or moved:
        line = event_about(reader, words(found["what"] or found[2]))
        rest = "" if cancelled else re.sub(r"^ (?:to|for) ", " in ", found["rest"])
        dates = reader.dated(rest, past=False)[1]
        if line is not None and cancelled:
            reader.rewrite(line, f"{line.content} (cancelled)")
        elif line is not None and dates:
            move_event(reader, line, dates[-1])
    return found is not None


def _corrected(clause: Clause, reader: Reader) -> bool:
    """ "X, not Y" that no other rule matched: replace Y by X in the newest line that has it."""
    if not clause.corrects:
        return False
    _, dates = reader.dated(clause.text, past=False)
    line = _event_on(reader, clause.instead_of) if dates and len(words(clause.text)) <= 1 else None
    if line is not None:
        move_event(reader, line, dates[0])
        return True
    found = part("IS_SPELT").match(clause.text)
    right = (found["what"] if found else clause.text).strip()
    if len(right.split()) > 4 or right.lower().startswith(("i ", "we ")):
        return False
    right = _PREPOSITION.sub("", right)
    lines = [line for line in reader.newest_first() if found or reader.is_recent(line)]
    return _put_right(reader, lines, clause, clean_name(right) or right)


def _event_on(reader: Reader, wrong: str) -> Line | None:
    """The newest event on the day that was wrong; if no day is named, the newest event with a date."""
    meant = {one.day for past in (False, True) for one in reader.dated(f"on {wrong}", past=past)[1]}
    for line in reader.newest_first():
        days = days_in(line.content) if "event" in (line.type, line.fact.kind) else set()
        if (days and not wrong) or days & meant or folded(wrong) in {f"{day:%A}".lower() for day in days}:
            return line
    return None


CHANGES = (leave_job, _goals, _events_changed, _names_given, keep_stated, _corrected)
