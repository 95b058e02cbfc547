"""What a rule has at hand while messages are read."""

from dataclasses import dataclass, field, replace
from datetime import date

from providers.llm.offline.clauses import Clause
from providers.llm.offline.dates import DatePhrase, absolute
from providers.llm.offline.facts import Fact, find_fact
from providers.llm.offline.notebook import Line, Notebook
from providers.llm.offline.people import DISTANT, Cast, is_several, noun
from providers.llm.offline.wording import plural, uncapitalised, with_article


@dataclass(slots=True)
class Reader:
    """What a rule has at hand: the list, the people, the message that is being read and its day.

    `unplaced` are statements, with their message, that ask for a change of something that is not on the list: a wish
    to forget, a correction, an end.
    """

    notebook: Notebook
    today: date = date(2000, 1, 1)  # of the message, in the person's time zone
    message: int = 0
    cast: Cast = field(default_factory=Cast)
    unplaced: list[tuple[Clause, int]] = field(default_factory=list)

    def keep(self, clause: Clause, fact: Fact) -> Line | None:
        """Write a fact about the clause's subject down. None where it is known already."""
        if clause.together and fact.kind in ("event", "partner") and clause.together not in fact.content:
            fact = replace(fact, content=f"{fact.content} with {clause.together}")
        told = _told_of(clause.subject, fact)
        if told is None:
            return None
        subject, fact = told
        return self.notebook.keep(fact, subject=subject, message=self.message)

    def rewrite(self, line: Line, content: str, *, happens_at: str | None = None) -> None:
        """Put other words on a line, in the form its subject asks for."""
        if line.subject != "user" and not content.lower().startswith(line.subject.lower()):
            content = f"{line.subject} {uncapitalised(content)}"
        self.notebook.rewrite(line, content, message=self.message, happens_at=happens_at)

    def strike(self, line: Line, reason: str) -> None:
        """Strike a line out."""
        self.notebook.strike(line, message=self.message, reason=reason)

    def dated(self, text: str, *, past: bool) -> tuple[str, list[DatePhrase]]:
        """`text` with its dates made absolute, and the dates."""
        return absolute(text, today=self.today, past=past)

    def find_fact(self, clause: Clause) -> Fact | None:
        """What the clause states."""
        return find_fact(clause, today=self.today)


def _told_of(subject: str, fact: Fact) -> tuple[str, Fact] | None:
    """Statements on a nameless relative are the person's own: "Has a son who loves dinosaurs"."""
    if subject == "user":
        return subject, fact
    content = uncapitalised(fact.content)
    if not subject.startswith("their "):
        return subject, replace(fact, content=f"{subject} {content}")
    relation = subject.removeprefix("their ")
    own = replace(fact, key=None, kind="event" if fact.type == "event" else "other", how="")
    if fact.type in ("event", "goal"):
        return "user", replace(
            own, content=f"Their {relation} {plural(content) if is_several(relation) else content}"
        )
    if noun(relation) in DISTANT:
        return None
    if is_several(relation):
        return "user", replace(own, content=f"Their {relation} {plural(content)}", type="relationship")
    return "user", replace(own, content=f"Has {with_article(relation)} who {content}", type="relationship")
