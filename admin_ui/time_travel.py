"""What became of entries between two moments. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from admin_ui.word_diff import Piece, word_diff
from memory.models import ScratchpadEntry


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry that is not what it was. `text`: its words then and now, told apart."""

    kind: Literal["new", "changed", "gone"]
    entry_id: UUID
    text: Sequence[Piece]


def compare_entries(then: Iterable[ScratchpadEntry], later: Iterable[ScratchpadEntry]) -> list[EntryChange]:
    """What is new, what says something else, what is gone; in the order of the later list, then of the earlier."""
    before = {entry.id: entry for entry in then}
    after = {entry.id: entry for entry in later}
    changes: list[EntryChange] = []
    for entry_id, entry in after.items():
        old = before.get(entry_id)
        if old is None:
            changes.append(EntryChange("new", entry_id, word_diff("", entry.content)))
        elif old.content != entry.content:
            changes.append(EntryChange("changed", entry_id, word_diff(old.content, entry.content)))
    gone = [entry for entry_id, entry in before.items() if entry_id not in after]
    return changes + [EntryChange("gone", entry.id, word_diff(entry.content, "")) for entry in gone]
