"""The list of facts during a reading: starts with the known entries, and yields the operations that changed it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from providers.llm.base import NumberedEntry
from providers.llm.offline.dates import find_dates
from providers.llm.offline.facts import Fact, read_kept
from providers.llm.offline.wording import folded, overlap, part, words

LONG_AGO = datetime.min.replace(tzinfo=UTC)
MAX_CONTENT = 240  # characters; a compact statement, not a story
# Kinds of which a person has one at a time.
_SINGLE = frozenset(
    "city home household name surname age birthday birthplace birthyear origin timezone diet partner".split()
)
# Names of these types in companions with other types.
_AKIN = {"identity": "fact", "relationship": "fact", "event": "schedule"}
_MEANT = {"fact": "identity", "schedule": "event", "general": "other"}
_UNSAID = ("is single", "broke up", "got divorced")
# Least importance by type. Constraints, which the companion must respect, matter more than tastes.
_IMPORTANCE = {"identity": 0.85, "goal": 0.75, "preference": 0.60}
_OF_A_CONSTRAINT, _OTHERWISE = 0.65, 0.5
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
    importance: float = _OTHERWISE
    happens_at: str | None = None
    messages: list[int] = field(default_factory=list)
    gone: bool = False
    reason: str = ""
    read: tuple[str, Fact, frozenset[str]] | None = None

    @property
    def fact(self) -> Fact:
        """The fact that the line states."""
        return self._reading()[1]

    @property
    def words(self) -> frozenset[str]:
        """The line's significant words."""
        return self._reading()[2]

    @property
    def constraint(self) -> bool:
        """Whether it is something that the companion must respect."""
        return self.importance == _OF_A_CONSTRAINT

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
        return "update" if folded(self.content) != folded(self.before) else ""

    def as_forgotten(self) -> dict[str, Any]:
        """The line as an entry to forget."""
        return {"entry": self.number, "messages": self.messages, "reason": self.reason}

    def _reading(self) -> tuple[str, Fact, frozenset[str]]:
        if self.read is None or self.read[0] != self.content:
            fact = read_kept(self.content, type=self.type, called=self.called)
            self.read = (self.content, fact, words(self.content))
        return self.read


class Notebook:
    """Lines that are read, written and struck out; `operations` returns the changes.

    `touched` counts changes and repetitions. `repeats`: (message, line) for lines that were said again.
    """

    def __init__(
        self, entries: tuple[NumberedEntry, ...], *, types: tuple[str, ...] = (), user_name: str = ""
    ) -> None:
        self._types = types
        self._user_name = folded(user_name)
        self.touched = 0
        self.repeats: list[tuple[int, Line]] = []
        self._lines = [
            Line(
                entry.number, self._own_type(entry.type), entry.subject, entry.content, entry.key,
                self._called(entry.subject), entry.content, entry.read_only, entry.effective_at or LONG_AGO,
            )
            for entry in entries
        ]  # fmt: skip

    def __len__(self) -> int:
        """The number of lines, struck out ones included."""
        return len(self._lines)

    def lines(self, subject: str | None = None, *kinds: str) -> Iterator[Line]:
        """Yield the valid lines in the given order, new ones last."""
        for line in list(self._lines):
            if not line.gone and subject in (None, line.subject) and (not kinds or line.fact.kind in kinds):
                yield line

    def newest_first(self) -> list[Line]:
        """The valid lines: new ones first, last written first, then the others by when they were said."""
        lines = list(self.lines())
        shown = [line for line in lines if line.number is not None]
        written = [line for line in reversed(lines) if line.number is None]
        return written + sorted(shown, key=lambda line: line.known_since, reverse=True)

    def keep(self, fact: Fact, *, subject: str = "user", message: int) -> None:
        """Add a fact, or replace the lines that it contradicts or refines; do nothing if it is known."""
        if not fact.content or len(fact.content) > MAX_CONTENT:
            return
        rivals: list[Line] = []
        for line in self.lines(subject):
            if folded(line.content) == folded(fact.content) or _same(fact, line.fact):
                self.touched += 1
                self.repeats.append((message, line))
                return
            if _replaces(fact, line.fact):
                if line.read_only:
                    return
                rivals.append(line)
        if not rivals:
            self._add(fact, subject, message)
            return
        for line in rivals[1:]:
            self.strike(line, message=message, reason="replaced by what was said later")
        self.rewrite(rivals[0], fact.content, message=message, happens_at=fact.happens_at)

    def rewrite(self, line: Line, content: str, *, message: int, happens_at: str | None = None) -> None:
        """Change a line's text, unless it is the same or the line is read-only."""
        if line.read_only or folded(line.content) == folded(content) or len(content) > MAX_CONTENT:
            return
        if any(
            other is not line and folded(other.content) == folded(content)
            for other in self.lines(line.subject)
        ):
            self.strike(line, message=message, reason="the same is kept in another entry")
            return
        line.content = content
        line.happens_at = happens_at or line.happens_at
        self._cite(line, message)

    def strike(self, line: Line, *, message: int, reason: str) -> None:
        """Strike out a line, unless it is read-only."""
        if not line.read_only:
            line.gone, line.reason = True, reason
            self._cite(line, message)

    def changed_lines(self) -> list[Line]:
        """The lines that were added, changed or struck out."""
        return [line for line in self._lines if line.outcome]

    def operations(self) -> list[dict[str, Any]]:
        """One operation for each changed line."""
        return [_operation(line, self.type_or_other(line.type)) for line in self.changed_lines()]

    def type_or_other(self, type: str) -> str:
        """The type if the companion has it; or its other name, `other`, `general`, or the companion's first type."""
        if not self._types or type in self._types:
            return type
        return next(
            (name for name in (_AKIN.get(type), "other", "general") if name in self._types), self._types[0]
        )

    def _own_type(self, type: str) -> str:
        """The rules' name for a companion's type."""
        return _MEANT.get(type, type)

    def _called(self, subject: str) -> str:
        return self._user_name if subject == "user" else folded(subject)

    def _add(self, fact: Fact, subject: str, message: int) -> None:
        importance = _OF_A_CONSTRAINT if fact.constraint else _IMPORTANCE.get(fact.type, _OTHERWISE)
        line = Line(
            None, self._own_type(self.type_or_other(fact.type)), subject, fact.content, fact.key, self._called(subject),
            importance=importance, happens_at=fact.happens_at,
        )  # fmt: skip
        self._cite(line, message)
        self._lines.append(line)

    def _cite(self, line: Line, message: int) -> None:
        self.touched += 1
        if message not in line.messages:
            line.messages.append(message)


def days_in(text: str) -> set[date]:
    """The days that a stored statement names."""
    return {phrase.day for phrase in find_dates(text, today=date(2000, 1, 1), past=False) if phrase.day}


def _same(new: Fact, old: Fact) -> bool:
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
    return new.about == old.about and new.value == old.value


def _replaces(new: Fact, old: Fact) -> bool:
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


def _operation(line: Line, type: str) -> dict[str, Any]:
    if line.outcome == "delete":
        return {"op": "delete", **line.as_forgotten()}
    told: dict[str, Any] = {"content": line.content, "messages": line.messages}
    if line.happens_at:
        told["happens_at"] = line.happens_at
    if line.outcome == "update":
        return {"op": "update", "entry": line.number, **told}
    if line.key:
        told["key"] = line.key
    return {"op": "add", "type": type, "subject": line.subject, "importance": line.importance, **told}
