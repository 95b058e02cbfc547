"""Rules: what the person works as, for whom, what they study, and how that changes."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.jobs import is_job
from memory.providers.offline.notebook import Line
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement, uncapitalised, with_article
from memory.providers.offline.stems import words

_CUT = re.compile(
    r"\s+(?:since|because|where|when|while|after|before|until|but|from|which|who|during|so|and I|these|mostly|right)\b|\s*[(;]"
    r"|,\s"
)
_WORK = re.compile(
    r"^I (?:work|am working|worked) (?:as (?:an? |the )?(?P<role>.+?))?(?:(?:^| )?(?P<how>at|for|with) (?P<employer>.+))?$",
    re.IGNORECASE,
)
_WORK_IN = re.compile(r"^I work (?P<where>in .+|from home.*|remotely.*|part[- ]time.*|full[- ]time.*|nights|night shifts?)$", re.I)
_NO_EMPLOYER = re.compile(r"^(?:home|night|it|that|this|the moment|myself\b.*|you|them|him|her|least|hours|years|weeks?)\b", re.I)
_IS_JOB = re.compile(r"^I am (?:currently |working as )?(?:an? |the )(?P<role>.+?)(?: (?P<how>at|for|with) (?P<employer>.+))?$", re.I)
_LEADS = re.compile(
    r"^I am (?:the |a |an )?(?P<role>(?:(?:co-?)?founder|owner|head|director|chair|chief [\w ]{2,20}|vice president|vp|president|captain|ceo|cto|cfo)(?: of .+?)?)"
    r"(?: (?P<how>at|for|with) (?P<employer>.+))?$",
    re.IGNORECASE,
)
_MY_JOB = re.compile(r"^my (?:job|profession|occupation) is (?:being )?(?:an? )?(?P<role>.+)$", re.IGNORECASE)
_NEW_JOB = re.compile(
    r"^I (?:got|found|accepted|landed|have|took|started|am starting|start)(?: in)? (?:a |my |the )?(?:new )?(?:job|position|role"
    r"|work|working|internship)(?: offer)?(?: as (?:an? |the )?(?P<role>.+?))?(?: (?P<how>at|for|with) (?P<employer>.+))?$",
    re.IGNORECASE,
)
_JOINED_AS = re.compile(r"^I joined (?P<employer>.+?) as (?:an? )?(?P<role>.+)$", re.IGNORECASE)
_OWN = re.compile(
    r"^I (?P<what>(?:run|own|have|manage) (?:my own|an?) (?:[\w-]+ ){0,2}?(?:bakery|business|company|shop|store|restaurant|café|cafe"
    r"|studio|agency|startup|start-up|practice|salon|farm|bookshop|hotel|gallery|bar|clinic))\b.*$",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"^I am (?:(?:now|currently|fully|semi-?) ?)?(?P<what>retired|unemployed|self-employed|freelancing|between jobs|out of work"
    r"|looking for (?:a |another )?(?:new )?(?:job|work))\b.*$",
    re.IGNORECASE,
)
_ON_LEAVE = re.compile(r"^I am on (?:parental|maternity|paternity|sick|medical|study|unpaid|garden)? ?(?:leave|sabbatical|a sabbatical)\b.*$", re.I)
_FREELANCE = re.compile(r"^I freelance(?: as (?:an? )?(?P<role>.+))?$", re.IGNORECASE)
_STUDY = re.compile(
    r"^I (?:study|am studying|major in|am majoring in) (?P<what>(?!for\b|hard\b|a lot\b|it\b|with\b|every\b|this\b|that\b).+)$", re.I
)
_LEFT = re.compile(
    r"^I (?P<how>quit|left|resigned from|lost|was laid off|got laid off|was fired|got fired|was made redundant|gave notice"
    r"|handed in my notice|retired|resigned)\b(?:(?: from)? (?P<what>.+))?$",
    re.IGNORECASE,
)
_PROMOTED = re.compile(r"^I (?:got|was) promoted\b.*$", re.IGNORECASE)
_TEACH = re.compile(r"^I teach (?P<what>(?!you\b|him\b|her\b|them\b|my\b).+)$", re.IGNORECASE)
_NOT_WORK = re.compile(
    r"^I (?:do not work|am not working) (?:there|(?:as|at|for|in|with) (?:an? |the )?(?P<what>.+))$"
    r"|^I am not (?:an? |the )(?P<role>.+)$",
    re.IGNORECASE,
)
_JOB_WORD = re.compile(r"\b(?:job|position|work|company|firm)\b", re.IGNORECASE)
_PARTS = re.compile(
    r"^(?:currently )?(?:works|is working)?\s*(?:is |as )?(?:(?:an? |the )(?P<role>.+?))?(?:(?: |^)(?:at|for|with) (?P<employer>.+?))?"
    r"(?: \(.*)?$",
    re.IGNORECASE,
)


def read_work(clause: Clause, reading: Reading) -> bool:
    """Jobs, employers, studies, and leaving them."""
    rules = (_partings, _denials, _new_jobs, _jobs, _other_work, _studies, _promotions)
    return any(rule(clause, reading) for rule in rules)


def _jobs(clause: Clause, reading: Reading) -> bool:
    text = clause.text
    found = _FREELANCE.match(text)
    if found and found["role"]:
        return _write(clause, reading, found["role"], "", verb="freelances")
    if (found := _MY_JOB.match(text)) and is_job(found["role"]):
        return _write(clause, reading, found["role"], "")
    if (found := _IS_JOB.match(text)) and is_job(found["role"]):
        return _write(clause, reading, found["role"], found["employer"] or "", how=found["how"] or "at")
    if found := _LEADS.match(text):
        return _write(clause, reading, found["role"], found["employer"] or "", how=found["how"] or "at")
    found = _WORK.match(text)
    if not found or not (found["role"] or found["employer"]):
        return False
    if text.lower().startswith("i worked") or _NO_EMPLOYER.match(found["employer"] or ""):
        return False
    return _write(clause, reading, found["role"] or "", found["employer"] or "", how=found["how"] or "at")


def _new_jobs(clause: Clause, reading: Reading) -> bool:
    found = _NEW_JOB.match(clause.text) or _JOINED_AS.match(clause.text)
    if not found:
        return False
    groups = found.groupdict()
    if found.re is _JOINED_AS and not is_job(found["role"]):
        return False
    text, dates = reading.dated(clause.text, past=True)
    to_come = re.match(r"^I (?:start|am starting)\b", clause.text, re.IGNORECASE)
    if to_come and reading.dated(clause.text, past=False)[1]:
        text, dates = reading.dated(clause.text, past=False)
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    if not groups.get("role") and not groups.get("employer"):
        if found.re is _NEW_JOB and re.match(r"^I (?:got|found|landed|accepted)\b", clause.text, re.I):
            reading.keep(clause, "event", statement(text), dates=dates)
            return True
        return False
    return _write(clause, reading, groups.get("role") or "", groups.get("employer") or "", how=groups.get("how") or "at", new=True)


def _write(
    clause: Clause, reading: Reading, role: str, employer: str, *, how: str = "at", verb: str = "works", new: bool = False
) -> bool:
    role, employer = _trimmed(role), _trimmed(employer)
    if not role and not employer or len(role) > 80:
        return False
    known = [line for line in reading.notebook.lines(subject=clause.subject, kind="work") if not _is_over(line)]
    if not new:
        old_role, old_employer = _parts(known)
        if role and old_role and words(role) <= words(old_role) and (not employer or words(employer) <= words(old_employer)):
            return True
        if employer and not role and words(employer) == words(old_employer):
            return True
        if len(known) == 1:
            role = role or old_role
            employer = employer or ("" if old_role and words(role) != words(old_role) else old_employer)
    elif not role:
        role = _parts(known)[0]  # another hospital, still a nurse
    as_role = f" as {_article(role)}" if role else ""
    content = capitalised(f"{verb}{as_role}{f' {how} {employer}' if employer else ''}")
    if not new and len(known) > 1:
        known = [line for line in known if bool(_parts([line])[0]) == bool(role)]
    _replace(clause, reading, content, known, key="job" if role else "employer")
    return True


def _replace(clause: Clause, reading: Reading, content: str, known: list[Line], *, key: str) -> None:
    over = [line for line in reading.notebook.lines(subject=clause.subject, kind="work") if _is_over(line)]
    rivals = known or over
    if not rivals:
        reading.keep(clause, "identity", content, key=key)
        return
    reading.rewrite(rivals[0], content)
    for line in rivals[1:]:
        reading.strike(line, "replaced by the new work")


def _other_work(clause: Clause, reading: Reading) -> bool:
    if found := _OWN.match(clause.text):
        reading.keep(clause, "identity", statement(f"I {found['what']}"), key="job")
        return True
    if found := _STATE.match(clause.text):
        if found["what"].lower().startswith("looking"):
            reading.keep(clause, "goal", statement(clause.text))
        else:
            known = list(reading.notebook.lines(subject=clause.subject, kind="work"))
            _replace(clause, reading, capitalised(f"is {found['what'].lower()}"), known, key="job")
        return True
    if _ON_LEAVE.match(clause.text):
        text, dates = reading.dated(clause.text, past=False)
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    if found := _WORK_IN.match(clause.text):
        where = _trimmed(found["where"])
        if words(where) and not re.match(r"in (?:the |a )?(?:morning|evening|afternoon|end|past|future)", where, re.I):
            reading.keep(clause, "identity", capitalised(f"works {where}"), key="job")
            return True
    return False


def _studies(clause: Clause, reading: Reading) -> bool:
    found = _STUDY.match(clause.text)
    if not found or not words(found["what"]) or _CUT.match(found["what"]):
        return False
    reading.keep(clause, "identity", capitalised(f"studies {_trimmed(found['what'])}"))
    return True


def _promotions(clause: Clause, reading: Reading) -> bool:
    if not _PROMOTED.match(clause.text):
        return False
    text, dates = reading.dated(clause.text, past=True)
    reading.keep(clause, "event", statement(text), dates=dates)
    return True


def _partings(clause: Clause, reading: Reading) -> bool:
    found = _LEFT.match(clause.text)
    if not found:
        return False
    how, what = found["how"].lower(), found["what"] or ""
    at_work = how not in ("quit", "left", "lost") or bool(_JOB_WORD.search(what))
    known = [line for line in reading.notebook.lines(subject=clause.subject, kind="work") if not _is_over(line)]
    named = [line for line in known if words(what) and words(what) & words(line.content)]
    if not at_work and not named:
        return False
    text, dates = reading.dated(clause.text, past=True)
    when = f" {dates[0].text}" if dates else ""
    lines = named if named and not _JOB_WORD.search(what) else known
    if not lines:
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    role, employer = _parts(lines)
    as_role = f" as {_article(role)}" if role else ""
    at_employer = f" at {employer}" if employer else ""
    left = "Quit their job" if how in ("quit", "left", "gave notice", "handed in my notice") else _capital_how(how)
    if how == "retired":
        as_role, at_employer = "", ""
    reading.rewrite(lines[0], f"{left}{as_role}{at_employer}{when}")
    for line in lines[1:]:
        reading.strike(line, "no longer works there")
    return True


def _capital_how(how: str) -> str:
    ways = {"lost": "Lost their job", "retired": "Retired", "resigned": "Quit their job", "resigned from": "Quit their job"}
    return ways.get(how, "Was laid off from their job" if "laid" in how or "redundant" in how else "Was fired from their job")


def _denials(clause: Clause, reading: Reading) -> bool:
    found = _NOT_WORK.match(clause.text)
    if not found:
        return False
    what = found["what"] or found["role"] or ""
    if found["role"] and not is_job(found["role"]):
        return False
    known = [line for line in reading.notebook.lines(subject=clause.subject, kind="work") if not _is_over(line)]
    named = [line for line in known if words(what) & words(line.content)] if what else known[-1:]
    for line in named[:1]:
        if clause.ended:
            reading.rewrite(line, capitalised(f"no longer {uncapitalised(_bare(line))}"))
        else:
            reading.strike(line, "was not so")
    if not named and clause.ended and not clause.formerly and what:
        reading.keep(clause, "identity", statement(f"I no longer {clause.text[len('I do not ') :]}") if not found["role"]
                     else f"Is no longer {_article(what)}", key="employer")  # fmt: skip
    return True


def _bare(line: Line) -> str:
    text = line.content
    if line.subject != "user":
        text = text.removeprefix(f"{line.subject} ")
    return re.sub(r"^(?:The )?[Uu]ser ", "", text)


def _is_over(line: Line) -> bool:
    text = _bare(line).lower()
    return text.startswith(("no longer", "quit", "was ", "lost", "left", "got ", "retired", "is no longer", "is unemployed",
                            "is retired", "is between"))  # fmt: skip


def _parts(lines: list[Line]) -> tuple[str, str]:
    """Role and employer as the lines have them."""
    role = employer = ""
    for line in lines:
        found = _PARTS.match(_bare(line))
        if found:
            role, employer = role or (found["role"] or ""), employer or (found["employer"] or "")
    return role, employer


def _trimmed(text: str) -> str:
    text = without_dates(text).strip(" ,.")
    cut = _CUT.search(text)
    return " ".join((text[: cut.start()] if cut else text).split()).strip(" ,.")


def _article(role: str) -> str:
    return role if role.lower().startswith(("a ", "an ", "the ", "head ", "ceo", "cto", "cfo", "chief", "vp", "vice")) else with_article(role)
