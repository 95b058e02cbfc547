"""The difference between two texts, word by word. Pure."""

import re
from dataclasses import dataclass
from typing import Literal

from memory.words import DENSE, MARKS
from relationships.text_matching import Matcher

# Scripts without spaces are split into characters with their marks.
_WORDS = re.compile(rf"\s+|[{DENSE}][{MARKS}]*|(?:(?![{DENSE}])[\w{MARKS}])+|[^\s\w]")
MOST_WORDS = 2000  # of both texts; longer ones are shown as replaced, as the pieces would be too many to read


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Literal["same", "removed", "added"]
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """Return the pieces that turn `before` into `after`, in order. Adjacent words of one kind are one piece."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > MOST_WORDS:
        return [Piece("removed", before), Piece("added", after)]
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in Matcher(None, old, new, autojunk=False).get_opcodes():
        if i2 > i1:
            pieces.append(Piece("same" if tag == "equal" else "removed", "".join(old[i1:i2])))
        if j2 > j1 and tag != "equal":
            pieces.append(Piece("added", "".join(new[j1:j2])))
    return pieces
