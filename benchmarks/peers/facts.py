"""The book of facts: which messages change what is known, and how. The model reads from it for everybody.

A book is {words of the person's message: its changes}. It is taught to the model, which says each change in
the asking system's own dialect, by what that system has shown it. So every system stores the same texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Change:
    """What one message changes: `old` empty learns `new`; `new` empty forgets `old`; both: `new` instead of `old`.

    Texts are whole sentences without the name of a person ("Lives in Lisbon."), the same for every system.
    """

    new: str = ""
    old: str = ""


Book = Mapping[str, Sequence[Change]]


@dataclass(frozen=True, slots=True)
class Move:
    """One thing to do to what a system has shown: `at` is the place (0..) among the shown texts, None for new."""

    kind: Literal["add", "update", "delete"]
    text: str = ""
    at: int | None = None
    said: int = 0  # the place (0..) of the message it rests on, among the new ones


def moves_for(book: Book, said: Sequence[str], shown: Sequence[str]) -> list[Move]:
    """What a faultless model would do about `said`, the person's new messages, knowing only `shown`.

    What is shown already is not added again; what should change and isn't shown can't be changed: a replacement is
    then added, and nothing is forgotten.
    """
    moves: list[Move] = []
    known = list(shown)  # kept as it will be after the moves
    for place, words in enumerate(said):
        for change in book.get(words.strip(), ()):
            old = known.index(change.old) if change.old in known else None
            there = not change.new or change.new in known
            if old is not None:
                known[old] = "" if there else change.new
                moves.append(
                    Move("delete", at=old, said=place) if there else Move("update", change.new, old, place)
                )
            elif not there:
                known.append(change.new)
                moves.append(Move("add", change.new, None, place))
    return moves
