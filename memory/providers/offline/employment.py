"""Reading the lines on somebody's work: which stand, which are over, what role and employer they tell of."""

import re
from collections.abc import Sequence

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import with_article

_PARTS = pattern(
    r"^(?:currently )?(?:works|is working|freelances)?\s*(?:is |as )?(?:(?:an? |the )(?P<role>.+?))?(?:(?: |^)(?:at"
    r"|for|with) (?P<employer>.+?))?(?: \(.*)?$"
)
_OVER = (
    "no longer", "quit", "was ", "lost", "left", "got ", "retired", "is no longer", "is unemployed", "is retired",
    "is between",
)  # fmt: skip
_GOES_ON = pattern(
    r"\s+(?:since|because|where|when|while|after|before|until|but|from|which|who|during|so|and I|these|mostly"
    r"|right)\b|\s*[(;]|,\s"
)
_DURATION = pattern(r" for (?:\w+ ){1,3}(?:years?|months?|ages)$")
_NEEDS_NO_ARTICLE = ("a ", "an ", "the ", "head ", "ceo", "cto", "cfo", "chief", "vp", "vice")


def current_work(clause: Clause, reading: Reading) -> list[Line]:
    """The lines on work the subject of the clause still does."""
    return [line for line in reading.notebook.lines(subject=clause.subject, kind="work") if not is_over(line)]


def is_over(line: Line) -> bool:
    """Whether the line tells of work that is no more."""
    return bare(line).lower().startswith(_OVER)


def role_and_employer(lines: Sequence[Line]) -> tuple[str, str]:
    """Role and employer as the lines have them, "" for what they don't tell."""
    role = employer = ""
    for line in lines:
        if found := _PARTS.match(bare(line)):
            role, employer = role or (found["role"] or ""), employer or (found["employer"] or "")
    return role, employer


def bare(line: Line) -> str:
    """The statement without whom it is about."""
    text = line.content if line.subject == "user" else line.content.removeprefix(f"{line.subject} ")
    return re.sub(r"^(?:The )?[Uu]ser ", "", text)


def trimmed(text: str) -> str:
    """A role, employer or subject as it is kept: without dates and without what the sentence goes on to say."""
    text = without_dates(text).strip(" ,.")
    goes_on = _GOES_ON.search(text)
    return " ".join((text[: goes_on.start()] if goes_on else text).split()).strip(" ,.")


def without_duration(text: str) -> str:
    """The clause without how long: "I am a nurse for ten years" is a nurse."""
    return _DURATION.sub("", text)


def article(role: str) -> str:
    """The role with its article, where it takes one: a nurse, head of marketing."""
    return role if role.lower().startswith(_NEEDS_NO_ARTICLE) else with_article(role)
