"""Rules: jobs that were quit, lost or never held."""

from dataclasses import replace

from memory.providers.offline.clauses import Clause
from memory.providers.offline.employment import article, bare, current_work, role_and_employer
from memory.providers.offline.notebook import Line
from memory.providers.offline.occupations import is_job
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement, uncapitalised
from memory.providers.offline.stems import words

_LEFT = pattern(
    r"^I (?P<how>quit|left|resigned|lost|was laid off|got laid off|was made redundant|was fired|got fired"
    r"|gave notice|handed in my notice|retired)\b(?:(?: from)? (?P<what>.+))?$"
)
_LET_GO = pattern(
    r"^my (?:company|employer|boss|firm|job) (?P<how>fired me|let me go|laid me off|made me redundant)\b(?P<rest>.*)$"
)
_JOB_WORD = pattern(r"\b(?:job|position|work|company|firm)\b")
_NOT_ONLY_OF_JOBS = ("quit", "left", "lost")  # smoking, the house, the keys
_WAYS = {
    "lost": "Lost their job",
    "retired": "Retired",
    "was laid off": "Was laid off from their job",
    "got laid off": "Was laid off from their job",
    "was made redundant": "Was laid off from their job",
    "was fired": "Was fired from their job",
    "got fired": "Was fired from their job",
}
_NOT_WORK = pattern(
    r"^I (?:do not work|am not working) (?:there|(?:as|at|for|in|with) (?:an? |the )?(?P<what>.+))$"
    r"|^I am not (?:an? |the )(?P<role>.+)$"
)


def read_leaving(clause: Clause, reading: Reading) -> bool:
    """Quitting, being laid off, retiring; "I don't work there", "I'm not a teacher anymore"."""
    return _partings(clause, reading) or _denials(clause, reading)


def _partings(clause: Clause, reading: Reading) -> bool:
    if let_go := _LET_GO.match(clause.text):
        how = "was fired" if "fired" in let_go["how"].lower() else "was laid off"
        clause = replace(clause, text=f"I {how}{let_go['rest']}")
    found = _LEFT.match(clause.text)
    if not found:
        return False
    how, what = found["how"].lower(), found["what"] or ""
    known = current_work(clause, reading)
    named = [line for line in known if words(what) & words(line.content)]
    of_a_job = how not in _NOT_ONLY_OF_JOBS or bool(_JOB_WORD.search(what))
    if not of_a_job and not named:
        return False
    text, dates = reading.dated(clause.text, past=True)
    lines = named if named and not _JOB_WORD.search(what) else known
    if not lines:
        reading.keep(clause, "event", statement(text), dates=dates)
        return True
    _end(reading, lines, how, f" {dates[0].text}" if dates else "")
    return True


def _end(reading: Reading, lines: list[Line], how: str, when: str) -> None:
    role, employer = ("", "") if how == "retired" else role_and_employer(lines)
    as_role = f" as {article(role)}" if role else ""
    at_employer = f" at {employer}" if employer else ""
    reading.rewrite(lines[0], f"{_WAYS.get(how, 'Quit their job')}{as_role}{at_employer}{when}")
    for line in lines[1:]:
        reading.strike(line, "no longer works there")


def _denials(clause: Clause, reading: Reading) -> bool:
    found = _NOT_WORK.match(clause.text)
    if not found or (found["role"] and not is_job(found["role"])):
        return False
    what = found["what"] or found["role"] or ""
    known = current_work(clause, reading)
    named = [line for line in known if words(what) & words(line.content)] if what else known[-1:]
    if named and clause.ended:
        reading.rewrite(named[0], capitalised(f"no longer {uncapitalised(bare(named[0]))}"))
    elif named:
        reading.strike(named[0], "was not so")
    elif clause.ended and not clause.formerly and what:
        over = (
            f"Is no longer {article(what)}"
            if found["role"]
            else f"No longer works{clause.text[len('I do not work') :]}"
        )
        reading.keep(clause, "identity", over, key="employer")
    return True
