"""What a rule has at hand while it reads: the list, the people, the day, and the message that is being read."""

from dataclasses import dataclass, field
from datetime import date

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import DatePhrase, absolute
from memory.providers.offline.notebook import Fact, Line, Notebook
from memory.providers.offline.people import DISTANT, Cast, is_several, noun
from memory.providers.offline.rewriting import plural, uncapitalised, with_article

# Floors by pattern; a health or dietary constraint is worth more than a taste.
IMPORTANCE = {"identity": 0.85, "goal": 0.75, "constraint": 0.65, "preference": 0.60}
OTHERWISE = 0.5


@dataclass(slots=True)
class Reading:
    """One pass over the new messages. `today` is the day of the message in the relationship's time zone.

    `unplaced` are statements, with their message, that ask for a change of something that is not on the list: a
    wish to forget, a correction, an end.
    """

    notebook: Notebook
    types: tuple[str, ...]
    today: date = date.min  # set with each message
    message: int = 0
    cast: Cast = field(default_factory=Cast)
    unplaced: list[tuple[Clause, int]] = field(default_factory=list)

    def keep(
        self,
        clause: Clause,
        type: str,
        content: str,
        *,
        key: str | None = None,
        constraint: bool = False,
        dates: list[DatePhrase] | None = None,
    ) -> Line | None:
        """Write `content` down about the clause's subject. None where it is known already."""
        said_of = self._about(clause, type, content, key)
        if said_of is None:
            return None
        subject, content, type, key = said_of
        fact = Fact(
            type=self.type_or_other(type),
            content=content,
            subject=subject,
            key=key,
            importance=IMPORTANCE.get("constraint" if constraint else type, OTHERWISE),
            happens_at=_first_day(dates),
        )
        return self.notebook.keep(fact, message=self.message)

    def rewrite(self, line: Line, content: str, *, dates: list[DatePhrase] | None = None) -> bool:
        """Put other words on a line, in the form its subject asks for. Says whether anything changed."""
        if line.subject != "user" and not content.lower().startswith(line.subject.lower()):
            content = f"{line.subject} {uncapitalised(content)}"
        happens_at = _first_day(dates)
        return self.notebook.rewrite(line, content, message=self.message, happens_at=happens_at) is not None

    def strike(self, line: Line, reason: str) -> None:
        """Strike a line out."""
        self.notebook.strike(line, message=self.message, reason=reason)

    def dated(self, text: str, *, past: bool) -> tuple[str, list[DatePhrase]]:
        """`text` with its dates made absolute, and the dates."""
        return absolute(text, today=self.today, past=past)

    def type_or_other(self, type: str) -> str:
        """The type if the companion has it, else `other`, else its first one."""
        if not self.types or type in self.types:
            return type
        return "other" if "other" in self.types else self.types[0]

    def _about(
        self, clause: Clause, type: str, content: str, key: str | None
    ) -> tuple[str, str, str, str | None] | None:
        """Statements on a nameless relative are the person's own: "Has a son who loves dinosaurs"."""
        if clause.subject == "user":
            return "user", content, type, key
        if not clause.subject.startswith("their "):
            return clause.subject, f"{clause.subject} {uncapitalised(content)}", type, key
        relation = clause.subject.removeprefix("their ")
        several = is_several(relation)
        if type in ("event", "goal"):
            return (
                "user",
                f"Their {relation} {plural(content) if several else uncapitalised(content)}",
                type,
                None,
            )
        if noun(relation) in DISTANT:
            return None
        if several:
            return "user", f"Their {relation} {plural(content)}", "relationship", None
        return "user", f"Has {with_article(relation)} who {uncapitalised(content)}", "relationship", None


def _first_day(dates: list[DatePhrase] | None) -> str | None:
    day = next((phrase.day for phrase in dates or [] if phrase.day), None)
    return day.isoformat() if day else None
