"""What a clause does to the list beyond being kept: corrections, ends, goals that were reached, dates that moved."""

import re
from dataclasses import replace

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import DatePhrase, in_words
from memory.providers.offline.facts import Fact, positive_form
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import NAME, PETS, RELATION, clean_name, mentions, noun
from memory.providers.offline.reader import Reader
from memory.providers.offline.wording import (
    about_them,
    capitalised,
    folded,
    no_longer,
    overlap,
    statement,
    uncapitalised,
    with_article,
    words,
)

_SETTLED = pattern(
    r"^(?:no longer|is no longer|gave up|stopped|has decided not)\b|\((?:goal reached|cancelled)\)$"
)
_NEVER_SAID = pattern(
    r"^(?:I (?:never|did not|have not)(?: actually)? (?:said|say|told you|tell you)|(?:that|it) is not true)(?: that)?"
    r" (?P<what>.+)$"
)
_LEFT_JOB = pattern(
    r"^(?:I (?P<how>quit|left|resigned|lost|was laid off|got laid off|was fired|got fired|retired|do not work there"
    r"|gave notice|handed in my notice)\b(?: (?:from )?(?P<what>.+))?"
    r"|my (?:company|employer|boss|firm) (?P<by>fired me|let me go|laid me off|made me redundant)\b.*)$"
)
_JOB = pattern(r"\b(?:job|position|work|company|firm)\b")
_JOB_IS_OVER = pattern(
    r"^(?:no longer|quit|was |lost|left|got |retired|is (?:no longer|unemployed|retired|between))"
)
_WAYS_OUT = {"lost": "Lost their job", "retired": "Retired", "do not work there": "No longer works"}
_DIED = pattern(
    rf"^(?:(?:(?:my|our) (?P<relation>{RELATION})(?:,? (?P<name>{NAME}))?|I) (?:died|die|passed away|pass away|was put"
    rf" (?:down|to sleep))|(?:I|we) lost (?:my|our) (?P<relation2>{RELATION})(?:,? (?P<name2>{NAME}))?(?= |$))(?P<rest>.*)$"
)
_PARTED = pattern(
    r"^(?:(?:I|we) (?:broke up|split up|separated)(?: with (?:my )?(?:boyfriend|girlfriend|partner)? ?(?P<name>(?-i:[A-Z])[\w'-]*)?)?"
    r"(?: .*)?|my (?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?) (?:dumped me|left me|broke up with me)\b.*)$"
)
_PARTNER = re.compile(rf"\b(?:named|called|to|dating) (?P<name>{NAME})")
_GAVE_UP = pattern(
    r"^(?:I|we) (?P<how>gave up|stopped|quit|dropped|abandoned|decided against|am not going to|decided not to|do not want to"
    r"|am not)(?: on)?(?: (?:the|my) (?:idea|plan|goal|dream) (?:of|to))? (?P<what>.+)$"
)
_REACHED = pattern(
    r"^(?:I|we) (?:finished|completed|passed|ran|reached|achieved|did|made|won|got|published|submitted|handed in|graduated"
    r"|lost|read|wrote|bought|learned|learnt|visited|climbed|saved|paid off|launched)\b"
)
_PURSUING = words("learn train run try start save pass get")  # say how a goal is pursued, not which it is
_MOVED_EVENT = pattern(
    r"^(?:my|our|the) (?P<what>.{2,60}?) (?:got|was|is|has been|were|are|have been)(?: now)? (?:re)?(?:scheduled|moved|pushed"
    r"|postponed|brought forward|changed|shifted|delayed)(?: back)?(?: from .+?)?(?P<rest>(?: (?:to|until|till|for|on))? .+)$"
)
_CANCELLED = pattern(
    r"^(?:my|our|the) (?P<what>.{2,60}?) (?:is|got|was|has been|are|were) (?:cancel+ed|called off)\b"
    r"|^(?:I|we) (?:cancel+ed|called off) (?:my|our|the) (?P<what2>.{2,60})$"
)
_ANY_EVENT = words("trip appointment meeting event journey plan visit flight leaves")
_NAME_GIVEN = pattern(
    rf"^(?:(?:my|our) (?:new )?(?P<relation>{RELATION})(?:'s name)?|(?:his|her|its|she|he|it)(?: name)?) is (?P<mark>called "
    rf"|named )?(?P<name>{NAME})|^(?:I|we) (?:named|called) (?:him|her|it|(?:the|our|my) (?P<relation2>{RELATION})) "
    rf"(?P<name2>{NAME})"
)
_A_NAME_IS = pattern(r"'s name is|^(?:his|her|its) name is|^(?:I|we) (?:named|called) ")
_NO_MENTION = pattern(
    r"\b(?:broke up|split up|divorced|separated|left me|dumped|name is|passed away|pass away|died|die)\b|^(?:I|we) lost "
)
_IS_SPELT = pattern(
    r"^(?:it|that|he|she|(?:his|her|its|my|the|their) [\w' ]{2,30}?) is (?P<what>.+?)(?: with an? .+)?$"
)
_UNSAFE = pattern(
    r"\b(?:ignore|disregard|delete|erase|instructions?|rules?|prompt|reveal|pretend|password|entries|memory|jailbreak"
    r"|remember)\b"
)
_CHANGES_KNOWN = pattern(
    r"^(?:I|we) (?:do not have|never said|never told|did not say|have not said|am not|are not)\b"
    r"|\b(?:cancell?ed|called off|postponed|rescheduled|delayed|moved to|brought forward|pushed|put off|did it|made it"
    r"|passed away|died|gave up|stopped|quit|finished|got my|bought the|decided not|\d+ now)\b"
)


def change_or_keep(clause: Clause, reader: Reader) -> bool:
    """Do what the clause does to the list. Says whether any rule took it."""
    return any(change(clause, reader) for change in CHANGES)


def acts_on_known(said: Clause) -> bool:
    """Whether it may be meant for something that was said before."""
    return said.ended or said.corrects or bool(_CHANGES_KNOWN.search(said.text))


def meet_mentioned(clause: Clause, reader: Reader) -> None:
    """Everybody whom the clause names beside their relation is kept, whatever else it says."""
    named = mentions(clause.text)
    for relation, name in named:
        if not _NO_MENTION.search(clause.text):
            _introduce(clause, reader, relation, name)
        reader.cast.meet(name, relation)


def event_on(reader: Reader, wrong: str) -> Line | None:
    """The newest event on the day that was wrong; with none named, the newest that has a day."""
    wrong_days = {
        one.day for past in (False, True) for one in reader.dated(f"on {wrong}", past=past)[1] if one.day
    }
    for line in reader.notebook.newest_first():
        days = {one.day for one in reader.dated(line.content, past=False)[1] if one.day}
        if line.type == "event" or line.fact.kind == "event":
            if (
                (not wrong and days)
                or days & wrong_days
                or folded(wrong) in {f"{day:%A}".lower() for day in days}
            ):
                return line
    return None


def _introduce(clause: Clause, reader: Reader, relation: str, name: str) -> None:
    """Has a sister named Ana. With a correction ("not Anna") the line with the other name is put right."""
    if clause.instead_of and name and _rename(clause, reader, name):
        return
    known = [folded(line.content) for line in reader.notebook.lines("user")]
    if name and any(noun(relation) in content and folded(name) in content for content in known):
        return
    fact = reader.find_fact(
        Clause(f"I have {with_article(relation.lower())}{f' named {name}' if name else ''}")
    )
    if fact is not None:
        reader.keep(Clause(clause.text), replace(fact, how=""))


def _rename(clause: Clause, reader: Reader, name: str) -> bool:
    """The line on a person under the name that was wrong, with the right one."""
    wrong = pattern(rf"\b{re.escape(clause.instead_of)}(?!\w)")
    for line in reader.notebook.lines("user", "person", "partner", "name"):
        if wrong.search(line.content):
            reader.rewrite(line, wrong.sub(lambda _: name, line.content))
            return True
    return False


def _names_given(clause: Clause, reader: Reader) -> bool:
    """ "Her name is Miso", "We named the puppy Biscuit", "My dog is called Rex, not Max"."""
    found = _NAME_GIVEN.match(clause.text)
    if not found or not (found["mark"] or _A_NAME_IS.search(clause.text) or clause.instead_of):
        return False
    name = clean_name(found["name"] or found["name2"], lowercase=clause.lowercase)
    relation = (found["relation"] or found["relation2"] or reader.cast.unnamed).lower()
    if not name or not relation:
        return bool(name and clause.instead_of) and _rename(clause, reader, name)
    start = f"Has {with_article(relation)}"
    nameless = (line for line in reader.notebook.newest_first() if line.content.startswith(start))
    line = next((line for line in nameless if " named " not in line.content), None)
    if line is not None:
        reader.rewrite(line, f"{start} named {name}{line.content.removeprefix(start)}")
    else:
        _introduce(clause, reader, relation, name)
    reader.cast.meet(name, relation)
    reader.cast.unnamed = ""
    return True


def _never_said(clause: Clause, reader: Reader) -> bool:
    found = _NEVER_SAID.match(clause.text)
    if not found:
        return False
    fact = reader.find_fact(Clause(found["what"]))
    for line in reader.notebook.newest_first():
        said = words(found["what"])
        if said and (overlap(said, line.words) == 1.0 or (fact and fact.about == line.fact.about)):
            reader.strike(line, "was never said")
            break
    return True


def _deaths(clause: Clause, reader: Reader) -> bool:
    found = _DIED.match(clause.text)
    if not found or (clause.subject == "user" and not (found["relation"] or found["relation2"])):
        return False
    named = clause.subject if clause.subject != "user" and not clause.subject.startswith("their ") else ""
    name = clean_name(found["name"] or found["name2"] or "") or named
    relation = found["relation"] or found["relation2"] or reader.cast.names.get(name)
    relation = (relation or clause.subject.removeprefix("their ")).lower()
    how = "passed away" if "pass" in clause.text else "died"
    _, dates = reader.dated(found["rest"], past=True)
    ending = f"{how} {dates[0].text}" if dates else how
    for line in reader.notebook.lines("user", "person", "partner"):
        if folded(name or noun(relation)) in folded(line.content):
            reader.rewrite(
                line, f"{re.sub(r'^(?:The user |User )?[Hh]as ', 'Had ', line.content)}, who {ending}"
            )
            return True
    if name and noun(relation) in PETS:
        content, type = f"Had {with_article(relation)} named {name}, who {ending}", "relationship"
    else:
        content, type = capitalised(f"their {relation} {name}".strip()) + f" {ending}", "event"
    reader.keep(Clause(clause.text), Fact("other", type, content, words(content), dates=tuple(dates)))
    return True


def _partings(clause: Clause, reader: Reader) -> bool:
    found = _PARTED.match(clause.text)
    if not found:
        return False
    known = next(reader.notebook.lines(clause.subject, "partner"), None)
    named = _PARTNER.search(known.content) if known else None
    name = found["name"] or clause.together or (clean_name(named["name"]) if named else "")
    if not name and not known and "my " not in clause.text:
        return False
    _, dates = reader.dated(clause.text, past=True)
    content = f"Broke up with {name or 'their partner'}{f' {dates[0].text}' if dates else ''}"
    fact = Fact("partner", "relationship", content, frozenset(), folded(content), key="partner")
    reader.keep(replace(clause, together=""), fact)
    return True


def _left_jobs(clause: Clause, reader: Reader) -> bool:
    found = _LEFT_JOB.match(clause.text)
    if not found:
        return False
    how, what = (found["how"] or "was laid off").lower(), found["what"] or ""
    known = _current_work(clause, reader)
    named = [line for line in known if words(what) & line.words]
    if how in ("quit", "left", "lost") and not named and not _JOB.search(what):
        return False  # smoking, the house, the keys
    text, dates = reader.dated(clause.text, past=True)
    if not known:
        if how != "do not work there":
            content = (
                statement(text) if found["how"] else f"Was laid off {dates[0].text if dates else ''}".strip()
            )
            reader.keep(clause, Fact("event", "event", content, words(content), dates=tuple(dates)))
        return True
    lines = named if named and not _JOB.search(what) else known
    role, employer = ("", "") if how == "retired" else _role_and_employer(lines)
    ending = (
        "Was laid off from their job"
        if "laid off" in how
        else "Was fired from their job"
        if "fired" in how
        else ""
    )
    content = _employment(ending or _WAYS_OUT.get(how, "Quit their job"), role, "at", employer)
    reader.rewrite(lines[0], f"{content} {dates[0].text}" if dates else content)
    for line in lines[1:]:
        reader.strike(line, "no longer works there")
    return True


def _goals(clause: Clause, reader: Reader) -> bool:
    """Goals that were given up or reached."""
    if found := _GAVE_UP.match(clause.text):
        line = _goal_about(clause, reader, found["what"])
        if line is not None:
            what = re.sub(r",? (?:because|since|so that)\b.*$", "", found["what"])
            content = {
                "do not want to": f"No longer wants to {about_them(what)}", "am not": f"Is no longer {about_them(what)}",
            }.get(found["how"].lower()) or statement(reader.dated(clause.text, past=True)[0])  # fmt: skip
            reader.rewrite(line, content)
            return True
    line = _goal_about(clause, reader, clause.text) if _REACHED.match(clause.text) else None
    if line is None or line.fact.kind == "move":
        return False
    reader.rewrite(line, f"{statement(reader.dated(clause.text, past=True)[0])} (goal reached)")
    return True


def _goal_about(clause: Clause, reader: Reader, what: str) -> Line | None:
    """The open goal that shares the most telling words with `what`; None where none is close."""
    said = words(what) - _PURSUING
    close: list[tuple[float, Line]] = []
    for line in reader.notebook.lines(clause.subject):
        goal = line.words - _PURSUING
        shared = goal & said
        if (line.type == "goal" or line.fact.kind in ("goal", "move")) and not _SETTLED.search(line.content):
            score = (overlap(said, goal) + overlap(goal, said)) / 2
            if score >= 0.5 and (len(shared) >= 2 or (shared == goal and len(said) <= 2)):
                close.append((score, line))
    return max(close, key=lambda one: one[0])[1] if close else None


def _events_changed(clause: Clause, reader: Reader) -> bool:
    """ "The interview got moved to Monday", "The trip is cancelled"."""
    if found := _CANCELLED.match(clause.text):
        line = _event_about(reader, words(found["what"] or found["what2"]))
        if line is not None:
            reader.rewrite(line, f"{line.content} (cancelled)")
        return True
    found = _MOVED_EVENT.match(clause.text)
    dates = reader.dated(re.sub(r"^ (?:to|for) ", " in ", found["rest"]), past=False)[1] if found else []
    line = _event_about(reader, words(found["what"])) if found else None
    if line is not None and dates:
        _move(reader, line, dates[-1])
    return found is not None


def _event_about(reader: Reader, what: frozenset[str]) -> Line | None:
    """The newest event that has most of the telling words."""
    what = what - _ANY_EVENT or what
    best: tuple[float, Line] | None = None
    for line in reader.notebook.newest_first():
        planned = line.type in ("event", "goal") or line.fact.kind in ("event", "move")
        score = overlap(what, line.words) if planned and not _SETTLED.search(line.content) else 0.0
        if score >= 0.6 and (best is None or score > best[0]):
            best = (score, line)
    return best[1] if best else None


def _move(reader: Reader, line: Line, to: DatePhrase) -> None:
    """Put another date on an event; the rest of it stays."""
    _, known = reader.dated(line.content, past=False)
    content = f"{line.content[: known[0].start]}{to.text}{line.content[known[0].end :]}" if known else ""
    reader.rewrite(
        line, content or f"{line.content} {to.text}", happens_at=to.day.isoformat() if to.day else None
    )


def _stated(clause: Clause, reader: Reader) -> bool:
    """What the table knows; what it knows the contrary of is no longer so, or never was."""
    positive = positive_form(clause.text)
    fact = None if positive and clause.ended else reader.find_fact(clause)
    if fact is None:
        denied = reader.find_fact(replace(clause, text=positive)) if positive else None
        return denied is not None and _denied(clause, reader, denied)
    return HOW.get(fact.how, _keep)(clause, reader, fact)


def _keep(clause: Clause, reader: Reader, fact: Fact) -> bool:
    if fact.kind in ("name", "surname", "introduction") and clause.subject != "user":
        return False
    if fact.kind == "introduction":  # nobody's "I'm Batman" changes a known name
        if clause.lowercase or next(reader.notebook.lines("user", "name"), None):
            return False
    reader.keep(clause, fact)
    return True


def _denied(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "I don't live in Berlin (anymore)": the line that says so is put right, and others like it go."""
    if clause.formerly and not clause.gone:
        return True  # it says nothing about today
    lines = [
        line for line in reader.notebook.lines(clause.subject) if not line.fact.negated and _says(line, fact)
    ]
    for line in lines[1:]:
        reader.strike(line, "is not so")
    if lines and clause.ended:
        of_line = (
            line_content
            if (line_content := lines[0].content) and fact.kind in ("person", "work")
            else fact.content
        )
        reader.rewrite(lines[0], no_longer(capitalised(of_line.removeprefix(f"{clause.subject} "))))
    elif lines and (fact.kind in ("health", "diet") or fact.constraint):
        reader.rewrite(lines[0], re.sub("^Is ", "Is not ", fact.content))
    elif lines:
        reader.strike(lines[0], "was not so")
    elif clause.ended and fact.kind in ("city", "work", "attitude", "diet"):
        content = no_longer(
            _employment("Works", fact.role, "at", fact.employer) if fact.how == "job" else fact.content
        )
        reader.keep(clause, replace(fact, content=content, negated=True))
    return True


def _says(line: Line, fact: Fact) -> bool:
    if fact.kind == "prefer" or line.fact.kind == "prefer":
        return bool(fact.about) and line.fact.value == " ".join(sorted(fact.about))
    if fact.how == "job":
        telling = words(f"{fact.role} {fact.employer}")
        return (
            line.fact.kind == "work" and bool(telling & line.words) and not _JOB_IS_OVER.match(line.content)
        )
    if line.fact.kind != fact.kind:
        return fact.kind == "diet" and fact.value in line.words
    if fact.kind in ("attitude", "person", "partner"):
        return fact.about == line.fact.about and (fact.kind != "attitude" or fact.value == line.fact.value)
    return fact.value == line.fact.value or (len(fact.about) > 0 and fact.about <= line.words)


def _moved(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "Lives in Lisbon (moved from Porto in November 2026)"; plans to move there, and the old flat, are no more."""
    home = next(reader.notebook.lines(clause.subject, "city"), None)
    left = re.search(r"\bfrom (?P<origin>[\w' ]{2,40}?) (?:to|into|in) ", clause.text)
    known = (
        re.search(r"(?i:lives?|resides) (?:in|at|near|on|outside) ([^(,]+?)(?: \(|,|$)", home.content)
        if home
        else None
    )
    origin = left["origin"] if left else known[1] if known else ""
    _, dates = reader.dated(clause.text, past=True)
    when = f"in {dates[0].month}" if dates and dates[0].month else dates[0].text if dates else ""
    when = when or (f"in {reader.today:%B %Y}" if clause.recent else "")
    of = f"from {origin}" if origin and folded(origin) != fact.value else ""
    note = f" (moved {of or 'there'} {when}".rstrip() + ")" if of or when else ""
    reader.keep(clause, replace(fact, content=f"{fact.content}{note}"))
    for line in reader.notebook.lines(clause.subject, "move", "goal"):
        if words(fact.value) and words(fact.value) <= line.words and "mov" in line.content.lower():
            reader.strike(line, "the move was made")
    for line in reader.notebook.lines(clause.subject, "home"):
        reader.strike(line, "moved away from there")
    return True


def _nickname(clause: Clause, reader: Reader, fact: Fact) -> bool:
    if clause.subject != "user":
        return False
    known = next(reader.notebook.lines("user", "name"), None)
    full = known.content.partition(", goes by ")[0] if known else ""
    if full and not words(fact.value) <= words(full):
        fact = replace(fact, content=f"{full}, {uncapitalised(fact.content)}")
    return _keep(clause, reader, fact)


def _birthday(clause: Clause, reader: Reader, fact: Fact) -> bool:
    _, dates = reader.dated(clause.text, past=False)
    if day := dates[0].day:
        content = f"Birthday is on {day.day} {day:%B}"
        reader.keep(clause, replace(fact, content=content, value=folded(content)))
    return True


def _current_work(clause: Clause, reader: Reader) -> list[Line]:
    work = reader.notebook.lines(clause.subject, "work")
    return [
        line
        for line in work
        if not (line.fact.negated or _JOB_IS_OVER.match(line.content.removeprefix("User ")))
    ]


def _role_and_employer(lines: list[Line]) -> tuple[str, str]:
    role = next((line.fact.role for line in lines if line.fact.role), "")
    return role, next((line.fact.employer for line in lines if line.fact.employer), "")


def _employment(verb: str, role: str, at: str, employer: str) -> str:
    needs_none = ("a ", "an ", "the ", "head ", "ceo", "cto", "cfo", "vice")
    as_role = f" as {role if role.lower().startswith(needs_none) else with_article(role)}" if role else ""
    return f"{verb}{as_role}{f' {at} {employer}' if employer else ''}"


def _job(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """A plain statement refines what is known of the same job; a new job takes the place of the old.

    With no role told the new one is the old one, elsewhere: still a nurse.
    """
    known, role, employer = _current_work(clause, reader), fact.role, fact.employer
    old_role, old_employer = _role_and_employer(known)
    if fact.how == "new job":
        role = role or old_role
    else:
        if known and words(role) <= words(old_role) and words(employer) <= words(old_employer):
            return True
        if len(known) == 1:
            same_role = not old_role or not role or words(role) == words(old_role)
            role, employer = role or old_role, employer or (old_employer if same_role else "")
        else:
            known = [line for line in known if bool(line.fact.role) == bool(role)]
    at = "for" if " for " in clause.text and not clause.text.endswith(f"at {employer}") else "at"
    verb = "Freelances" if "freelance as" in clause.text else "Works"
    return _replace_work(clause, reader, replace(fact, content=_employment(verb, role, at, employer)), known)


def _replace_work(clause: Clause, reader: Reader, fact: Fact, known: list[Line]) -> bool:
    rivals = (
        known or list(reader.notebook.lines(clause.subject, "work"))[: 0 if fact.how == "business" else None]
    )
    if not rivals:
        reader.keep(clause, replace(fact, key="job" if fact.role or fact.how != "job" else "employer"))
        return True
    reader.rewrite(rivals[0], fact.content)
    for line in rivals[1:]:
        reader.strike(line, "replaced by the new work")
    return True


def _work_state(clause: Clause, reader: Reader, fact: Fact) -> bool:
    return _replace_work(clause, reader, fact, _current_work(clause, reader))


def _person(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """One of the family; who has a name is met, who has none is meant by the next "her name is ..."."""
    if clause.subject != "user":
        return False
    first, *others = re.split(r",? and (?=(?:an?|two|three|four|five) [\w-]+)", clause.text)
    for text in (first, *(f"I have {other}" for other in others)):
        each = reader.find_fact(replace(clause, text=text))
        if each is None or each.kind not in ("person", "people", "partner"):
            continue
        reader.keep(clause, each)
        name = re.search(rf" named ({NAME})", each.content)
        who = next(iter(each.about), "")
        if name:
            reader.cast.meet(name[1], who)
        else:
            reader.cast.unnamed = re.sub(r"^Has an? ", "", each.content).partition(" who ")[0]
    return True


def _not_done(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "I stopped drinking coffee": the line that says it is done or liked gets these words."""
    wanted = (
        words(re.sub(r"^(?:Stopped|Does not) ", "", fact.content)) - words("drink eat consume smoke")
        or fact.about
    )
    for line in reader.notebook.lines(clause.subject, "other", "attitude", "goal", "prefer", "habit"):
        liked = line.fact.kind != "prefer" or line.fact.value in wanted
        if (
            wanted
            and wanted <= line.words
            and liked
            and not re.search(r"\b(?:not|longer|never|Stopped|Dislikes|Hates)\b", line.content)
        ):
            reader.rewrite(line, fact.content)
            return True
    return _keep(clause, reader, fact)


def _appointment(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """ "My exam is on the 3rd" as "Exam on 3 December 2026"; corrected, the known one gets the date."""
    known = _event_about(reader, fact.about) if clause.corrects else None
    if known is not None:
        _move(reader, known, fact.dates[0])
        return True
    return _keep(clause, reader, fact)


def _request(clause: Clause, reader: Reader, fact: Fact) -> bool:
    return clause.subject == "user" and not _UNSAFE.search(clause.text) and _keep(clause, reader, fact)


def _corrected(clause: Clause, reader: Reader) -> bool:
    """ "X, not Y" that no other rule could place: the newest line with Y gets X in its place."""
    if not clause.corrects:
        return False
    _, dates = reader.dated(clause.text, past=False)
    line = event_on(reader, clause.instead_of) if dates and len(words(clause.text)) <= 1 else None
    if line is not None:
        _move(reader, line, dates[0])
        return True
    found = _IS_SPELT.match(clause.text)
    right = (found["what"] if found else clause.text).strip()
    if not clause.instead_of or len(right.split()) > 4 or right.lower().startswith(("i ", "we ")):
        return False
    wrong = pattern(rf"(?<!\w){re.escape(clause.instead_of)}(?!\w)")
    for line in reader.notebook.newest_first():
        if wrong.search(line.content) and not line.read_only:
            reader.rewrite(line, wrong.sub(lambda _: clean_name(right) or right, line.content))
            return True
    return False


HOW = {
    "moved": _moved, "nickname": _nickname, "birthday": _birthday, "job": _job, "new job": _job, "state": _work_state,
    "business": _work_state, "person": _person, "not done": _not_done, "appointment": _appointment, "request": _request,
}  # fmt: skip
# The first that takes a clause has it.
CHANGES = (
    _never_said, _deaths, _partings, _left_jobs, _goals, _events_changed, _names_given, _stated, _corrected,
)  # fmt: skip
