"""Rules: what the person works as and for whom, what they study, and new jobs."""

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.employment import (
    article,
    current_work,
    is_over,
    role_and_employer,
    trimmed,
    without_duration,
)
from memory.providers.offline.notebook import Line
from memory.providers.offline.occupations import is_job
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised, statement
from memory.providers.offline.stems import words

_AT = r"(?: (?P<how>at|for|with) (?P<employer>.+))?$"
_WORK = pattern(
    r"^I (?:work|am working) (?:as (?:an? |the )?(?P<role>.+?))?(?:(?:^| )?(?P<how>at|for|with) (?P<employer>.+))?$"
)
_WORK_IN = pattern(
    r"^(?:I|we) work (?P<where>in (?!(?:the |a )?(?:morning|evening|afternoon|end|past|future)).+|from home.*"
    r"|remotely.*|part[- ]time.*|full[- ]time.*|nights|night shifts?)$"
)
_NO_EMPLOYER = pattern(
    r"^(?:home|night|it|that|this|the moment|myself\b.*|you|them|him|her|least|hours|years|weeks?)\b"
)
_IS_JOB = pattern(r"^I am (?:currently |working as )?(?:an? |the )(?P<role>.+?)" + _AT)
_LEADS = pattern(
    r"^I am (?:the |a |an )?(?P<role>(?:(?:co-?)?founder|owner|head|director|chair|chief [\w ]{2,20}|vice president"
    r"|vp"
    r"|president|captain|ceo|cto|cfo)(?: of .+?)?)" + _AT
)
_MY_JOB = pattern(r"^my (?:job|profession|occupation) is (?:being )?(?:an? )?(?P<role>.+)$")
_NEW_JOB = pattern(
    r"^I (?P<got>got|found|accepted|landed|have|took|started|am starting|start)(?: in)? (?:a |my |the )?(?:new )?"
    r"(?:job|position|role|work|working|internship)(?: offer)?(?: as (?:an? |the )?(?P<role>.+?))?" + _AT
)
_JOINED_AS = pattern(r"^I (?P<got>joined) (?P<employer>.+?) as (?:an? )?(?P<role>.+)$")
_OWN = pattern(
    r"^I (?P<what>(?:run|own|have|manage) (?:my own|an?) (?:[\w-]+ ){0,2}?(?:bakery|business|company|shop|store"
    r"|restaurant|café|cafe|studio|agency|startup|start-up|practice|salon|farm|bookshop|hotel|gallery|bar|clinic))\b"
)
_STATE = pattern(
    r"^I am (?:(?:now|currently|fully|semi-?) ?)?(?P<what>retired|unemployed|self-employed|freelancing|between jobs"
    r"|out of work)\b"
)
_LOOKING = pattern(r"^I am looking for (?:a |another )?(?:new )?(?:job|work)\b")
_ON_LEAVE = pattern(
    r"^I am on (?:(?:parental|maternity|paternity|sick|medical|study|unpaid|garden) )?(?:leave|sabbatical"
    r"|a sabbatical)\b"
)
_FREELANCE = pattern(r"^I freelance as (?:an? )?(?P<role>.+)$")
_STUDY = pattern(
    r"^I (?:study|am studying|major in|am majoring in) (?P<what>(?!(?:for|hard|a lot|it|with|every|this|that|because"
    r"|so|since)\b).+)$"
)
_DEGREE = pattern(
    r"^I am (?:doing|taking|working on) (?:an?|my) (?:\w+ )?(?:master'?s?|phd|doctorate|degree|bachelor'?s?"
    r"|apprenticeship|mba|diploma|course)\b"
)
_PROMOTED = pattern(r"^I (?:got|was) promoted\b")


def read_work(clause: Clause, reading: Reading) -> bool:
    """Jobs, employers, studies, promotions."""
    rules = (_new_jobs, _jobs, _own_business, _states, _ways_of_working, _studies, _promotions)
    return any(rule(clause, reading) for rule in rules)


def _jobs(clause: Clause, reading: Reading) -> bool:
    text = without_duration(clause.text)
    if found := _FREELANCE.match(text):
        return _write(clause, reading, role=found["role"], verb="freelances")
    if (found := _MY_JOB.match(text)) and is_job(found["role"]):
        return _write(clause, reading, role=found["role"])
    found = _IS_JOB.match(text)
    if not found or not is_job(found["role"]):
        found = _LEADS.match(text) or _WORK.match(text)
    if not found or _NO_EMPLOYER.match(found["employer"] or ""):
        return False
    how = found["how"] or "at"
    return _write(clause, reading, role=found["role"] or "", employer=found["employer"] or "", how=how)


def _new_jobs(clause: Clause, reading: Reading) -> bool:
    found = _NEW_JOB.match(clause.text) or _JOINED_AS.match(clause.text)
    if not found or (found["got"].lower() == "joined" and not is_job(found["role"])):
        return False
    if found["got"].lower() in ("start", "am starting"):
        text, dates = reading.dated(clause.text, past=False)
        if dates:
            reading.keep(clause, "event", statement(text), dates=dates)
            return True
    if found["role"] or found["employer"]:
        how = found.groupdict().get("how") or "at"
        return _start(clause, reading, role=found["role"] or "", employer=found["employer"] or "", how=how)
    if found["got"].lower() in ("got", "found", "landed", "accepted"):
        text, dates = reading.dated(clause.text, past=True)
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    return False


def _start(clause: Clause, reading: Reading, *, role: str, employer: str, how: str) -> bool:
    """A new job takes the place of the old; with no role told it is the old one, elsewhere: still a nurse."""
    known = current_work(clause, reading)
    role, employer = trimmed(role) or role_and_employer(known)[0], trimmed(employer)
    _replace(
        clause, reading, _content("works", role, how, employer), known, key="job" if role else "employer"
    )
    return True


def _write(
    clause: Clause,
    reading: Reading,
    *,
    role: str = "",
    employer: str = "",
    how: str = "at",
    verb: str = "works",
) -> bool:
    """A plain statement refines what is known of the same job, and replaces what it contradicts."""
    role, employer = trimmed(role), trimmed(employer)
    if not (role or employer) or len(role) > 80:
        return False
    known = current_work(clause, reading)
    old_role, old_employer = role_and_employer(known)
    if words(role) <= words(old_role) and words(employer) <= words(old_employer):
        return True
    key = "job" if role else "employer"
    if len(known) == 1:
        same_role = not old_role or not role or words(role) == words(old_role)
        role, employer = role or old_role, employer or (old_employer if same_role else "")
    elif known:
        known = [line for line in known if bool(role_and_employer([line])[0]) == bool(role)]
    _replace(clause, reading, _content(verb, role, how, employer), known, key=key)
    return True


def _content(verb: str, role: str, how: str, employer: str) -> str:
    as_role = f" as {article(role)}" if role else ""
    return capitalised(f"{verb}{as_role}{f' {how} {employer}' if employer else ''}")


def _replace(clause: Clause, reading: Reading, content: str, known: list[Line], *, key: str) -> None:
    work = reading.notebook.lines(subject=clause.subject, kind="work")
    rivals = known or [line for line in work if is_over(line)]
    if not rivals:
        reading.keep(clause, "identity", content, key=key)
        return
    reading.rewrite(rivals[0], content)
    for line in rivals[1:]:
        reading.strike(line, "replaced by the new work")


def _own_business(clause: Clause, reading: Reading) -> bool:
    found = _OWN.match(clause.text)
    if found:
        reading.keep(clause, "identity", statement(f"I {found['what']}"), key="job")
    return bool(found)


def _states(clause: Clause, reading: Reading) -> bool:
    if found := _STATE.match(clause.text):
        known = list(reading.notebook.lines(subject=clause.subject, kind="work"))
        _replace(clause, reading, capitalised(f"is {found['what'].lower()}"), known, key="job")
        return True
    if _LOOKING.match(clause.text):
        reading.keep(clause, "goal", statement(clause.text))
        return True
    if _ON_LEAVE.match(clause.text):
        text, dates = reading.dated(clause.text, past=False)
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    return False


def _ways_of_working(clause: Clause, reading: Reading) -> bool:
    found = _WORK_IN.match(clause.text)
    where = trimmed(found["where"]) if found else ""
    if not words(where):
        return False
    reading.keep(clause, "identity", capitalised(f"works {where}"), key="job")
    return True


def _studies(clause: Clause, reading: Reading) -> bool:
    if _DEGREE.match(clause.text):
        reading.keep(clause, "identity", statement(without_dates(clause.text)))
        return True
    found = _STUDY.match(clause.text)
    what = trimmed(found["what"]) if found else ""
    if not words(what):
        return False
    reading.keep(clause, "identity", f"Studies {about_them(what)}")
    return True


def _promotions(clause: Clause, reading: Reading) -> bool:
    if not _PROMOTED.match(clause.text):
        return False
    text, dates = reading.dated(clause.text, past=True)
    reading.keep(clause, "event", statement(text), dates=dates)
    return True
