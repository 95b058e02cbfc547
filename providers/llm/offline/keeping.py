"""What a clause does to the list: it changes known lines, or is stored as a fact. The first rule that matches wins."""

import re
from collections.abc import Collection
from dataclasses import replace

from providers.llm.offline.clauses import Clause
from providers.llm.offline.dates import DatePhrase
from providers.llm.offline.facts import Fact, positive_form
from providers.llm.offline.lines import Line
from providers.llm.offline.reader import Reader
from providers.llm.offline.wording import (
    NAME,
    about_them,
    capitalised,
    folded,
    mentions,
    no_longer,
    noun,
    overlap,
    part,
    pattern,
    statement,
    uncapitalised,
    with_article,
    words,
)

_AT = pattern(r" (at|for|with) ")
_JOB = pattern(r"\b(?:job|position|work|company|firm)\b")
_FROM = pattern(r"\bfrom (?P<origin>[\w' ]{2,40}?) (?:to|into|in) ")
_HOME = pattern(r"(?:lives?|resides) (?:in|at|near|on|outside) (?P<origin>[^(,]+?)(?: \(|,|$)")
_NOT_LIKED = re.compile(r"\b(?:not|longer|never|Stopped|Dislikes|Hates)\b")
_ANY_EVENT = words("trip appointment meeting event journey plan visit flight leaves")
# Words that tell how a goal is pursued or a thing is done, not which one.
_PURSUING = words("learn train run try start save pass get going play do take drink eat consume smoke")
# By how it ended: the kinds of facts, besides goals, that end so.
_DONE = ("other", "medicine", "attitude", "prefer", "habit")
_ENDED = dict.fromkeys(("gave up", "stopped", "quit"), _DONE) | {"do not take": ("medicine",)}


def change_or_keep(clause: Clause, reader: Reader) -> bool:
    """Apply the clause to the list. Returns whether a rule matched."""
    return any(rule(clause, reader) for rule in (_leave_job, _goals, _events_changed, _keep_stated))


def acts_on_known(said: Clause) -> bool:
    """Return whether the clause may end, reach or correct something said before."""
    ends = part("GAVE_UP").match(said.text) or part("REACHED").match(said.text)
    return said.ended or said.corrects or ends is not None


def meet_mentioned(clause: Clause, reader: Reader) -> None:
    """Add everybody named with a relation ("my sister Ana"), whatever else it says."""
    for relation, name in mentions(clause.text):
        known = any(
            {noun(relation), folded(name)} <= set(line.folded.split()) for line in reader.lines("user")
        )
        fact = reader.find_fact(Clause(f"I have {with_article(relation)} named {name}"))
        if fact and not known and not part("NO_MENTION").search(clause.text):
            reader.keep(Clause(clause.text, instead_of=clause.instead_of), replace(fact, how=""))
        reader.meet(name, relation)


def _is_current(work: Line) -> bool:
    return not (work.fact.negated or part("JOB_IS_OVER").match(work.content.removeprefix("User ")))


def _leave_job(clause: Clause, reader: Reader) -> bool:
    """ "I quit my job", "I don't work there anymore": update the job's line; without one, add an event."""
    found = part("LEFT_JOB").match(clause.text)
    if not found:
        return False
    what = found["what"] or ""
    known = [line for line in reader.lines(clause.subject, "work") if _is_current(line)]
    named = [line for line in known if words(what) & line.words and not _JOB.search(what)]
    if found["maybe"] and not named and not _JOB.search(what):
        return False  # smoking, the house, the keys
    text, dates = reader.dated(clause.text, past=True)
    content = no_longer(known[0].content) if known and found["there"] else statement(text)
    if not known and not found["there"]:
        reader.keep(clause, Fact("event", "event", content, words(content), dates=tuple(dates)))
    reader.rewrite_first(named or known, content, "no longer works there")
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
        liked = line.fact.kind != "prefer" or line.fact.value in said
        done = (
            bool(said) and shared == said and liked and (line.fact.kind in ended or (pursued and bool(ended)))
        )
        if not (line.settled or _NOT_LIKED.search(line.content)) and (done or (pursued and alike)):
            close.append((score, line))
    return max(close, key=lambda one: one[0])[1] if close else None


def _events_changed(clause: Clause, reader: Reader) -> bool:
    """ "The interview got moved to Monday", "The trip is cancelled"."""
    cancelled, moved = part("CANCELLED").match(clause.text), part("MOVED_EVENT").match(clause.text)
    if found := cancelled or moved:
        line = _event_about(reader, words(found["what"] or found[2]))
        rest = "" if cancelled else re.sub(r"^ (?:to|for) ", " in ", found["rest"])
        dates = reader.dated(rest, past=False)[1]
        if line is not None and cancelled:
            reader.rewrite(line, f"{line.content} (cancelled)")
        elif line is not None and dates:
            _move_event(reader, line, dates[-1])
    return found is not None


def _event_about(reader: Reader, what: frozenset[str]) -> Line | None:
    """The newest event that has most of the significant words."""
    what = what - _ANY_EVENT or what
    planned = [
        line
        for line in reader.newest_first()
        if (line.type in ("event", "goal") or line.fact.kind in ("event", "move")) and not line.settled
    ]
    best = max(planned, key=lambda line: overlap(what, line.words), default=None)
    return best if best and overlap(what, best.words) >= 0.6 else None


def _move_event(reader: Reader, line: Line, to: DatePhrase) -> None:
    """Change the date of an event, and keep the rest."""
    _, known = reader.dated(line.content, past=False)
    content = f"{line.content[: known[0].start]}{to.text}{line.content[known[0].end :]}" if known else ""
    reader.rewrite(line, content or f"{line.content} {to.text}", to.day.isoformat() if to.day else None)


def _keep_stated(clause: Clause, reader: Reader) -> bool:
    """Store a fact that the table knows, by the rule that its `how` names, or handle the denial of one."""
    positive = positive_form(clause.text)
    fact = None if positive and clause.ended else reader.find_fact(clause)
    if fact is None and positive and (denied := reader.find_fact(replace(clause, text=positive))):
        return _denied(clause, reader, denied)
    fact = fact or reader.find_fact(clause)
    return fact is not None and _HOW.get(fact.how, _keep)(clause, reader, fact)


def _keep(clause: Clause, reader: Reader, fact: Fact) -> bool:
    if fact.kind in ("name", "surname", "introduction") and clause.subject != "user":
        return False
    if fact.kind == "introduction" and (clause.lowercase or any(reader.lines("user", "name"))):
        return False  # "I'm Batman" must not change a known name
    reader.keep(clause, fact)
    return True


def _denied(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "I don't live in Berlin (anymore)": correct the line that says so, and remove others like it."""
    lines = [line for line in reader.lines(clause.subject) if _says(line, fact)]
    if lines and clause.ended:
        over = lines[0].content if fact.kind in ("person", "work") else fact.content
        content = no_longer(capitalised(over.removeprefix(f"{clause.subject} ")))
        reader.rewrite_first(lines, content, "is not so")
    elif fact.constraint and fact.kind != "medicine":  # "not in the morning" is no end of it
        reader.rewrite_first(lines, re.sub("^Is ", "Is not ", fact.content), "is not so")
    elif not fact.constraint:
        for line in lines:
            reader.strike(line, "was not so")
    return True


def _says(line: Line, fact: Fact) -> bool:
    """Return whether a line says what is denied now."""
    if line.fact.negated or line.fact.kind != fact.kind:
        return False
    if fact.how == "job":
        return bool(words(f"{fact.role} {fact.employer}") & line.words) and _is_current(line)
    if fact.kind == "attitude":
        return (fact.about, fact.value) == (line.fact.about, line.fact.value)
    same = fact.value == line.fact.value or fact.about == line.fact.about
    return same or (bool(fact.about) and fact.about <= line.words)


def _employment(fact: Fact, verb: str, at: str) -> str:
    """The statement "Works as a nurse at Hospital da Luz"."""
    bare = fact.role.lower().startswith(("a ", "an ", "the ", "head ", "ceo", "cto", "cfo", "vice"))
    role = f" as {fact.role if bare else with_article(fact.role)}" if fact.role else ""
    return f"{verb}{role}{f' {at} {fact.employer}' if fact.employer else ''}"


def _work(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """Refine the known job by a plain statement about it, or replace it by a new job.

    A new job without a role keeps the old role: still a nurse, but elsewhere.
    """
    every = list(reader.lines(clause.subject, "work"))
    known = [line for line in every if _is_current(line)]
    if fact.how != "state":
        old = next((line.fact.role for line in known if line.fact.role), "")
        employer = next((line.fact.employer for line in known if line.fact.employer), "")
        at = _AT.search(clause.text) if fact.employer else None
        if fact.how == "job" and (not old or not fact.role or words(fact.role) == words(old)):
            fact = replace(fact, employer=fact.employer or employer)
        fact = replace(fact, role=fact.role or old)
        verb = "Freelances" if "freelance as" in clause.text else "Works"
        fact = replace(fact, content=_employment(fact, verb, at[1] if at else "at"))
    if not every:
        reader.keep(clause, replace(fact, key="job" if fact.role or fact.how != "job" else "employer"))
    reader.rewrite_first(known or every, fact.content, "replaced by the new work")
    return True


def _moved(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """Store "Lives in Lisbon (moved from Porto in November 2026)"; remove plans to move there, and the old home."""
    home = next(reader.lines(clause.subject, "city"), None)
    left = _FROM.search(clause.text) or (home and _HOME.search(home.content))
    _, dates = reader.dated(clause.text, past=True)
    when = f"in {dates[0].month}" if dates and dates[0].month else dates[0].text if dates else ""
    when = when or (f"in {reader.today:%B %Y}" if clause.recent else "")
    of = f"from {left['origin']}" if left and folded(left["origin"]) != fact.value else ""
    note = f" (moved {of or 'there'} {when}".rstrip() + ")" if of or when else ""
    reader.keep(clause, replace(fact, content=f"{fact.content}{note}"))
    there = words(fact.value)
    for line in reader.lines(clause.subject, "move", "goal", "home"):
        if line.fact.kind == "home" or (there and there <= line.words and "mov" in line.content.lower()):
            reader.strike(line, "the move was made")
    return True


def _nickname(clause: Clause, reader: Reader, fact: Fact) -> bool:
    known = next(reader.lines("user", "name"), None)
    full = known.content.partition(", goes by ")[0] if known else ""
    if full and not words(fact.value) <= words(full):
        fact = replace(fact, content=f"{full}, {uncapitalised(fact.content)}")
    return _keep(clause, reader, fact)


def _person(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """Store a relative, pet or friend of the person."""
    if clause.subject != "user":
        return False
    reader.keep(clause, fact)
    if name := re.search(rf" named ({NAME})", fact.content):
        reader.meet(name[1], next(iter(fact.about), ""))
    return True


def _appointment(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """Store "My exam is on the 3rd" as "Exam on 3 December 2026"; a correction moves the known event."""
    if clause.corrects and (known := _event_about(reader, fact.about)):
        _move_event(reader, known, fact.dates[0])
        return True
    return _keep(clause, reader, fact)


_HOW = {
    "moved": _moved, "nickname": _nickname, "job": _work, "new job": _work, "state": _work, "person": _person,
    "appointment": _appointment,
}  # fmt: skip
