"""Facts that take more than storing them, by their `how`; and lines that are denied."""

import re
from dataclasses import replace

from providers.llm.offline.clauses import Clause
from providers.llm.offline.dates import DatePhrase
from providers.llm.offline.facts import Fact, positive_form
from providers.llm.offline.lines import Line
from providers.llm.offline.reader import Reader
from providers.llm.offline.wording import (
    NAME,
    RELATIVES,
    capitalised,
    folded,
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


def _is_current(work: Line) -> bool:
    return not (work.fact.negated or part("JOB_IS_OVER").match(work.content.removeprefix("User ")))


def _employment(fact: Fact, verb: str = "Works", at: str = "at") -> str:
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


def leave_job(clause: Clause, reader: Reader) -> bool:
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


def keep_stated(clause: Clause, reader: Reader) -> bool:
    """Store a fact that the table knows, or handle the denial of one."""
    positive = positive_form(clause.text)
    fact = None if positive and clause.ended else reader.find_fact(clause)
    if fact is None:
        denied = reader.find_fact(replace(clause, text=positive)) if positive else None
        if denied is not None:
            return _denied(clause, reader, denied)
        fact = reader.find_fact(clause)
    if fact is None or clause.formerly:
        return False  # a former fact says nothing about today
    return HOW.get(fact.how, _keep)(clause, reader, fact)


def _keep(clause: Clause, reader: Reader, fact: Fact) -> bool:
    if fact.kind in ("name", "surname", "introduction") and clause.subject != "user":
        return False
    if fact.kind == "introduction" and (clause.lowercase or any(reader.lines("user", "name"))):
        return False  # "I'm Batman" must not change a known name
    reader.keep(clause, fact)
    return True


def _denied(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "I don't live in Berlin (anymore)": correct the line that says so, and remove others like it."""
    if clause.formerly:
        return True  # it says nothing about today
    lines = [line for line in reader.lines(clause.subject) if _says(line, fact)]
    if lines and clause.ended:
        over = lines[0].content if fact.kind in ("person", "work") else fact.content
        content = no_longer(capitalised(over.removeprefix(f"{clause.subject} ")))
        reader.rewrite_first(lines, content, "is not so")
    elif fact.kind == "medicine" and words(fact.content) - words("take") != fact.about:
        pass  # "not in the morning"
    elif lines and fact.kind != "medicine" and (fact.kind in ("health", "diet") or fact.constraint):
        reader.rewrite_first(lines, re.sub("^Is ", "Is not ", fact.content), "is not so")
    elif clause.ended and fact.kind in ("city", "work", "attitude", "diet"):
        content = no_longer(_employment(fact) if fact.how == "job" else fact.content)
        reader.keep(clause, replace(fact, content=content, negated=True))
    else:
        for line in lines:
            reader.strike(line, "was not so")
    return True


def _says(line: Line, fact: Fact) -> bool:
    """Return whether a line says what is denied now."""
    if line.fact.negated:
        return False
    if "prefer" in (fact.kind, line.fact.kind):
        return bool(fact.about) and line.fact.value == " ".join(sorted(fact.about))
    if fact.how == "job":
        telling = words(f"{fact.role} {fact.employer}")
        return line.fact.kind == "work" and bool(telling & line.words) and _is_current(line)
    if line.fact.kind != fact.kind:
        return fact.kind == "diet" and fact.value in line.words
    if fact.kind in ("attitude", "person", "partner"):
        return fact.about == line.fact.about and (fact.kind != "attitude" or fact.value == line.fact.value)
    return fact.value == line.fact.value or (len(fact.about) > 0 and fact.about <= line.words)


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
    """Store a relative, pet or friend. "Her name is ..." later refers to one without a name."""
    if clause.subject != "user":
        return False
    first, *others = re.split(r",? and (?=(?:an?|two|three|four|five) [\w-]+)", clause.text)
    for text in (first, *(f"I have {other}" for other in others)):
        each = reader.find_fact(replace(clause, text=text))
        if each is None or each.kind not in ("person", "people", "partner"):
            continue
        reader.keep(clause, each)
        if name := re.search(rf" named ({NAME})", each.content):
            reader.meet(name[1], next(iter(each.about), ""))
        elif each.kind != "people":
            reader.unnamed = re.sub(r"^Has an? ", "", each.content).partition(" who ")[0]
    return True


def _none(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "I don't have kids": remove those who are known, unless there were some."""
    who = noun(fact.content)
    known = next((group for group in RELATIVES.values() if who in group), frozenset())
    for line in reader.lines(clause.subject, "person", "people"):
        if line.fact.about & known and not clause.ended:
            reader.strike(line, "there is none")
    return _keep(clause, reader, fact)


def _died(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "My dog Bruno died": update Bruno's line, or add an event."""
    if clause.subject == "user":
        return False
    who = folded(clause.subject.removeprefix("their "))
    known = [line for line in reader.lines("user", "person", "partner") if who in folded(line.content)]
    if not known and (relation := reader.names.get(clause.subject)):
        content = f"Had {with_article(relation)} named {clause.subject}, who {uncapitalised(fact.content)}"
        return _keep(replace(clause, subject="user"), reader, replace(fact, content=content))
    if len(known) != 1:  # of two cats, either may be meant
        return _keep(clause, reader, fact)
    had = re.sub(r"^(?:The user |User )?[Hh]as ", "Had ", known[0].content)
    reader.rewrite(known[0], f"{had}, who {uncapitalised(fact.content)}")
    return True


def _not_done(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "I stopped drinking coffee": rewrite the line that says it is done or liked."""
    said = re.sub(r"^(?:Stopped|Does not) ", "", fact.content)
    wanted = words(said) - words("drink eat consume smoke") or fact.about
    for line in reader.lines(clause.subject, "other", "attitude", "goal", "prefer", "habit"):
        liked = line.fact.kind != "prefer" or line.fact.value in wanted
        if wanted and liked and wanted <= line.words and not _NOT_LIKED.search(line.content):
            reader.rewrite(line, fact.content)
            return True
    return _keep(clause, reader, fact)


def _appointment(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """Store "My exam is on the 3rd" as "Exam on 3 December 2026"; a correction moves the known event."""
    known = event_about(reader, fact.about) if clause.corrects else None
    if known is None:
        return _keep(clause, reader, fact)
    move_event(reader, known, fact.dates[0])
    return True


def _request(clause: Clause, reader: Reader, fact: Fact) -> bool:
    return clause.subject == "user" and not part("UNSAFE").search(clause.text) and _keep(clause, reader, fact)


def event_about(reader: Reader, what: frozenset[str]) -> Line | None:
    """The newest event that has most of the significant words."""
    what = what - _ANY_EVENT or what
    planned = [
        line
        for line in reader.newest_first()
        if (line.type in ("event", "goal") or line.fact.kind in ("event", "move")) and not line.settled
    ]
    best = max(planned, key=lambda line: overlap(what, line.words), default=None)
    return best if best and overlap(what, best.words) >= 0.6 else None


def move_event(reader: Reader, line: Line, to: DatePhrase) -> None:
    """Change the date of an event, and keep the rest."""
    _, known = reader.dated(line.content, past=False)
    content = f"{line.content[: known[0].start]}{to.text}{line.content[known[0].end :]}" if known else ""
    reader.rewrite(line, content or f"{line.content} {to.text}", to.day.isoformat() if to.day else None)


HOW = {
    "moved": _moved, "nickname": _nickname, "job": _work, "new job": _work, "state": _work, "person": _person,
    "none": _none, "died": _died, "not done": _not_done, "appointment": _appointment, "request": _request,
}  # fmt: skip
