"""The lines of the list, and which line a new fact repeats, replaces or refines."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from providers.llm.offline.dates import find_dates
from providers.llm.offline.facts import Fact, read_kept
from providers.llm.offline.wording import folded, overlap, part, words

LONG_AGO = datetime.min.replace(tzinfo=UTC)
# Kinds of which a person has one at a time.
_SINGLE = frozenset(
    "city home household name surname age birthday birthplace birthyear origin timezone diet partner".split()
)
_UNSAID = ("is single", "broke up", "got divorced")
# Importance by type, after the published rubric. Constraints, which the companion must respect, exceed tastes.
_IMPORTANCE = {"identity": 0.85, "goal": 0.75, "relationship": 0.7, "event": 0.6, "preference": 0.6}
_OF_A_CONSTRAINT, _OTHERWISE = 0.65, 0.4
SAID_ANEW = "replaced by what was said later"  # without a reason, an update that loses details is kept beside the entry
KNOWN_KIND, OF_SOMEBODY_ELSE, FREE_WORDS = 0.95, 0.85, 0.75


@dataclass(slots=True)
class Line:
    """A line of the list. `number` is None if it was written in this reading."""

    number: int | None
    type: str
    subject: str
    content: str
    key: str | None = None
    called: str = ""
    before: str = ""
    read_only: bool = False
    known_since: datetime = LONG_AGO
    happens_at: str | None = None
    messages: list[int] = field(default_factory=list)
    gone: bool = False
    reason: str = ""
    read: tuple[str, Fact, frozenset[str], str] | None = None

    @property
    def fact(self) -> Fact:
        return self._reading()[1]

    @property
    def words(self) -> frozenset[str]:
        return self._reading()[2]

    @property
    def folded(self) -> str:
        """The content as it is compared."""
        return self._reading()[3]

    @property
    def constraint(self) -> bool:
        """Whether it is something that the companion must respect."""
        return self.fact.constraint or self.fact.kind in ("health", "diet", "habit")

    @property
    def importance(self) -> float:
        """How much it matters, from 0 to 1."""
        least = _OF_A_CONSTRAINT if self.constraint else _OTHERWISE
        return max(_IMPORTANCE.get(self.type, _OTHERWISE), least)

    @property
    def settled(self) -> bool:
        """Whether it is a goal or an event that is over: reached, given up, cancelled."""
        return bool(part("SETTLED").search(self.content))

    @property
    def confidence(self) -> float:
        """From 0 to 1, by how well the rules understand the statement. Hedged statements are never stored."""
        if self.fact.kind == "other":
            return FREE_WORDS
        return KNOWN_KIND if self.subject == "user" else OF_SOMEBODY_ELSE

    @property
    def outcome(self) -> str:
        """How the line changed: `add`, `update`, `delete`, or "", also if it was added and removed in one reading."""
        if self.number is None:
            return "" if self.gone else "add"
        if self.gone:
            return "delete"
        return "update" if self.folded != folded(self.before) else ""

    def as_forgotten(self) -> dict[str, Any]:
        return {"entry": self.number, "messages": self.messages, "reason": self.reason}

    def as_operation(self, type: str) -> dict[str, Any]:
        """The line's change as an operation. `type`: the companion's."""
        if self.outcome == "delete":
            return {"op": "delete", **self.as_forgotten()}
        told: dict[str, Any] = {"content": self.content, "messages": self.messages}
        if self.happens_at:
            told["happens_at"] = self.happens_at
        if self.outcome == "update":
            return {"op": "update", "entry": self.number, **told, "reason": SAID_ANEW}
        if self.key:
            told["key"] = self.key
        return {"op": "add", "type": type, "subject": self.subject, "importance": self.importance, **told}

    def _reading(self) -> tuple[str, Fact, frozenset[str], str]:
        if self.read is None or self.read[0] != self.content:
            fact = read_kept(self.content, type=self.type, called=self.called)
            self.read = (self.content, fact, words(self.content), folded(self.content))
        return self.read


def days_in(text: str) -> set[date]:
    """The days that a stored statement names."""
    return {phrase.day for phrase in find_dates(text, today=date(2000, 1, 1), past=False) if phrase.day}


def same(new: Fact, old: Fact) -> bool:
    """Return whether the new fact adds nothing to the old one."""
    if new.kind == "partner" and old.kind == "partner" and new.negated == old.negated:
        vague = len(new.value.split()) == 1 and not old.value.startswith(_UNSAID)
        return new.value == old.value or vague
    if {new.kind, old.kind} == {"person", "people"}:
        return new.kind == "person" and new.about == old.about and (not new.value or new.value in old.value)
    if new.kind != old.kind or new.negated != old.negated:
        return False
    if new.kind == "name":
        return new.value in old.value or f"goes by {new.value}" in folded(old.content)
    if new.kind in ("person", "people"):
        return new.about == old.about and old.value.startswith(new.value)
    if new.kind == "event":
        near = min(overlap(new.about, old.about), overlap(old.about, new.about)) >= 0.6
        return near and (days_in(new.content) == days_in(old.content) or not new.dates)
    if new.kind == "goal":
        return len(new.about) >= 2 and new.about < old.about
    if new.kind in _SINGLE:
        return new.value == old.value
    if new.kind == "medicine" and new.about == old.about and not any(map(str.isdigit, new.value)):
        return words(new.content) <= words(old.content)
    return new.about == old.about and new.value == old.value


def replaces(new: Fact, old: Fact) -> bool:
    """Return whether the new fact contradicts or refines the old one."""
    if new.kind == "attitude" and new.value == "dislike" and old.kind == "prefer":
        return " ".join(sorted(new.about)) == old.value
    if new.kind != old.kind or new.kind == "work":
        return False
    if new.kind in _SINGLE:
        return True
    if new.kind == "person":
        return new.about == old.about and not old.value
    if new.kind == "goal" and old.about < new.about:
        return len(old.about) * 2 >= max(4, len(new.about))
    return bool(new.about) and new.about == old.about and new.kind != "event"
