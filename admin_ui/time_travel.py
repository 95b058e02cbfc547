"""What became of entries between two moments. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

from admin_ui.word_diff import Piece, word_diff


class Line(Protocol):
    @property
    def id(self) -> UUID: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry that is not what it was."""

    kind: Literal["new", "changed", "gone"]
    entry_id: UUID
    before: str
    after: str

    @property
    def text(self) -> Sequence[Piece]:
        """Its words before and after, told apart."""
        return word_diff(self.before, self.after)


def compare_entries(then: Iterable[Line], later: Iterable[Line]) -> list[EntryChange]:
    """What is new, what says something else, what is gone; in the order of the later list, then of the earlier."""
    before = {entry.id: entry.content for entry in then}
    after = {entry.id: entry.content for entry in later}
    changes: list[EntryChange] = []
    for entry_id, content in after.items():
        old = before.get(entry_id)
        if old is None:
            changes.append(EntryChange("new", entry_id, "", content))
        elif old != content:
            changes.append(EntryChange("changed", entry_id, old, content))
    gone = [(entry_id, content) for entry_id, content in before.items() if entry_id not in after]
    return changes + [EntryChange("gone", entry_id, content, "") for entry_id, content in gone]
