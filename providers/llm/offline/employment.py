"""What somebody works as and for whom: a statement refines the job that is known, a new job takes its place."""

from dataclasses import replace

from providers.llm.offline.clauses import Clause
from providers.llm.offline.facts import Fact
from providers.llm.offline.notebook import Line
from providers.llm.offline.patterns import part, pattern
from providers.llm.offline.reader import Reader
from providers.llm.offline.wording import no_longer, statement, with_article, words

JOB_IS_OVER = part("JOB_IS_OVER")
_LEFT_JOB = part("LEFT_JOB")
_JOB = pattern(r"\b(?:job|position|work|company|firm)\b")


def _current_work(clause: Clause, reader: Reader) -> list[Line]:
    work = reader.notebook.lines(clause.subject, "work")
    return [
        line
        for line in work
        if not (line.fact.negated or JOB_IS_OVER.match(line.content.removeprefix("User ")))
    ]


def _role_and_employer(lines: list[Line]) -> tuple[str, str]:
    role = next((line.fact.role for line in lines if line.fact.role), "")
    return role, next((line.fact.employer for line in lines if line.fact.employer), "")


def employment(verb: str, role: str, at: str, employer: str) -> str:
    """ "Works as a nurse at Hospital da Luz"."""
    needs_none = ("a ", "an ", "the ", "head ", "ceo", "cto", "cfo", "vice")
    as_role = f" as {role if role.lower().startswith(needs_none) else with_article(role)}" if role else ""
    return f"{verb}{as_role}{f' {at} {employer}' if employer else ''}"


def keep_job(clause: Clause, reader: Reader, fact: Fact) -> bool:
    """A plain statement refines what is known of the same job; a new job takes the place of the old.

    With no role told the new one is the old one, elsewhere: still a nurse.
    """
    known, role, employer = _current_work(clause, reader), fact.role, fact.employer
    if fact.how == "state":
        return _replace_work(clause, reader, fact, known)
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
    return _replace_work(clause, reader, replace(fact, content=employment(verb, role, at, employer)), known)


def _replace_work(clause: Clause, reader: Reader, fact: Fact, known: list[Line]) -> bool:
    rivals = known or list(reader.notebook.lines(clause.subject, "work"))
    if not rivals:
        reader.keep(clause, replace(fact, key="job" if fact.role or fact.how != "job" else "employer"))
        return True
    reader.rewrite(rivals[0], fact.content)
    for line in rivals[1:]:
        reader.strike(line, "replaced by the new work")
    return True


def leave_job(clause: Clause, reader: Reader) -> bool:
    """ "I quit my job", "I don't work there anymore": the line on the job says so; without one it is an event."""
    found = _LEFT_JOB.match(clause.text)
    if not found:
        return False
    what = found["what"] or ""
    known = _current_work(clause, reader)
    named = [line for line in known if words(what) & line.words]
    if found["maybe"] and not named and not _JOB.search(what):
        return False  # smoking, the house, the keys
    text, dates = reader.dated(clause.text, past=True)
    content = no_longer(known[0].content) if known and found["there"] else statement(text)
    if not known and not found["there"]:
        reader.keep(clause, Fact("event", "event", content, words(content), dates=tuple(dates)))
    lines = named if named and not _JOB.search(what) else known
    for line in lines[:1]:
        reader.rewrite(line, content)
    for line in lines[1:]:
        reader.strike(line, "no longer works there")
    return True
