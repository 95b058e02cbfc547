"""The list while messages are read: what was known, changed line by line, and the operations that this takes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memory.providers.base import NumberedEntry
from memory.providers.offline.matching import Relation, compare
from memory.providers.offline.slots import Slot, folded, slot_of
from memory.providers.offline.stems import words

LONG_AGO = datetime.min.replace(tzinfo=UTC)
MAX_CONTENT = 240  # characters; a compact statement, not a story


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement to be kept."""

    type: str
    content: str
    subject: str = "user"
    key: str | None = None
    importance: float = 0.5
    happens_at: str | None = None


@dataclass(slots=True)
class Line:
    """One line of the list. `number` is None for one that was written in this reading."""

    number: int | None
    type: str
    subject: str
    content: str
    key: str | None
    importance: float = 0.5
    happens_at: str | None = None
    called: str = ""
    before: str = ""
    read_only: bool = False
    known_since: datetime = LONG_AGO
    messages: list[int] = field(default_factory=list)
    changed: bool = False
    gone: bool = False
    reason: str = ""
    read_slot: Slot | None = None
    read_words: frozenset[str] | None = None
    read_folded: str | None = None

    @property
    def folded(self) -> str:
        """The text as it counts when two are compared."""
        if self.read_folded is None:
            self.read_folded = folded(self.content)
        return self.read_folded

    @property
    def outcome(self) -> str:
        """What became of it: `add`, `update`, `delete`, or nothing (what came and went in one reading)."""
        if self.number is None:
            return "" if self.gone else "add"
        if self.gone:
            return "delete"
        return "update" if self.changed and self.folded != folded(self.before) else ""

    @property
    def words(self) -> frozenset[str]:
        """Its telling words."""
        if self.read_words is None:
            self.read_words = words(self.content)
        return self.read_words

    @property
    def slot(self) -> Slot:
        """What the line is about."""
        if self.read_slot is None:
            self.read_slot = slot_of(self.folded, type=self.type, called=self.called)
        return self.read_slot


class Notebook:
    """Lines that rules read, write and strike out; `operations` says what became of them."""

    def __init__(self, entries: tuple[NumberedEntry, ...], *, user_name: str = "") -> None:
        """`user_name` is how an entry in somebody else's words may call the person.

        `touched` counts what happened to the list; `repeats` are the lines that were said again, with the message.
        """
        self._user_name = folded(user_name)
        self.touched = 0
        self.repeats: list[tuple[int, Line]] = []
        self._lines = [
            Line(
                number=entry.number,
                type=entry.type,
                subject=entry.subject,
                called=self._called(entry.subject),
                content=entry.content,
                before=entry.content,
                key=entry.key,
                read_only=entry.read_only,
                known_since=entry.effective_at or LONG_AGO,
            )
            for entry in entries
        ]

    def __len__(self) -> int:
        """How many lines were ever on it."""
        return len(self._lines)

    def lines(self, *, subject: str | None = None, kind: str | None = None) -> Iterator[Line]:
        """The lines that stand, as they were given, what was written last at the end."""
        for line in list(self._lines):
            if line.gone or (subject is not None and line.subject != subject):
                continue
            if kind is None or line.slot.kind == kind:
                yield line

    def newest_first(self) -> list[Line]:
        """The lines that stand: those of this reading from the last, then the others by when they were said.

        Entries are shown with the newest first, which decides between those that were said at one moment.
        """
        lines = list(self.lines())
        written = [line for line in reversed(lines) if line.number is None]
        shown = [line for line in lines if line.number is not None]
        return written + sorted(shown, key=lambda line: line.known_since, reverse=True)

    def keep(self, fact: Fact, *, message: int) -> Line | None:
        """Write a fact down, in the place of what it contradicts or refines. None where it is known already."""
        if not fact.content or len(fact.content) > MAX_CONTENT:
            return None
        text = folded(fact.content)
        slot = slot_of(text, type=fact.type, called=self._called(fact.subject))
        rivals: list[Line] = []
        for line in self.lines(subject=fact.subject):
            relation = compare(slot, line.slot)
            if relation is Relation.SAME or line.folded == text:
                self.touched += 1
                self.repeats.append((message, line))
                return None
            if relation is Relation.REPLACES:
                if line.read_only:
                    return None
                rivals.append(line)
        if not rivals:
            return self._add(fact, slot, message)
        for line in rivals[1:]:
            self.strike(line, message=message, reason="replaced by what was said later")
        return self.rewrite(rivals[0], fact.content, message=message, happens_at=fact.happens_at)

    def rewrite(
        self, line: Line, content: str, *, message: int, happens_at: str | None = None
    ) -> Line | None:
        """Put other words on a line. None where they are the same or the line is not ours to change."""
        text = folded(content)
        if line.read_only or line.folded == text or len(content) > MAX_CONTENT:
            return None
        for other in self.lines(subject=line.subject):
            if other is not line and other.folded == text:
                self.strike(line, message=message, reason="the same is kept in another entry")
                return None
        line.content, line.changed = content, True
        line.read_slot = line.read_words = line.read_folded = None
        line.happens_at = happens_at or line.happens_at
        self._cite(line, message)
        return line

    def strike(self, line: Line, *, message: int, reason: str) -> None:
        """Strike a line out."""
        if not line.read_only:
            line.gone, line.reason = True, reason
            self._cite(line, message)

    def changed_lines(self) -> list[Line]:
        """Those that came, went, or say something else now."""
        return [line for line in self._lines if line.outcome]

    def operations(self) -> list[dict[str, Any]]:
        """What to do, one operation for each line that was touched."""
        return [_operation(line) for line in self.changed_lines()]

    def _called(self, subject: str) -> str:
        return self._user_name if subject == "user" else folded(subject)

    def _add(self, fact: Fact, slot: Slot, message: int) -> Line:
        line = Line(
            None,
            fact.type,
            fact.subject,
            fact.content,
            fact.key,
            fact.importance,
            fact.happens_at,
            read_slot=slot,
        )
        self._cite(line, message)
        self._lines.append(line)
        return line

    def _cite(self, line: Line, message: int) -> None:
        self.touched += 1
        if message not in line.messages:
            line.messages.append(message)


def _operation(line: Line) -> dict[str, Any]:
    if line.outcome == "add":
        return _addition(line)
    if line.outcome == "delete":
        return {"op": "delete", "entry": line.number, "messages": line.messages, "reason": line.reason}
    moved = {"happens_at": line.happens_at} if line.happens_at else {}
    return {
        "op": "update",
        "entry": line.number,
        "content": line.content,
        "messages": line.messages,
        **moved,
    }


def _addition(line: Line) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "op": "add",
        "type": line.type,
        "content": line.content,
        "subject": line.subject,
        "importance": line.importance,
        "messages": line.messages,
    }
    if line.happens_at:
        operation["happens_at"] = line.happens_at
    if line.key:
        operation["key"] = line.key
    return operation
