"""What changed between two texts, word by word. Pure."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_WORDS = re.compile(r"\s+|[^\s\w]|\w+")
# Beyond these the whole text is shown as replaced: a diff of it would take too long.
MOST_WORDS = 2000
MOST_COMPARED = 2_000_000  # pairs of the same word, looked at once for each piece that stayed


@dataclass(frozen=True, slots=True)
class Piece:
    kind: Literal["same", "gone", "new"]
    text: str


class _TooLong(Exception):
    """The texts are too long, or repeat themselves too often."""


class _Matcher(difflib.SequenceMatcher[str]):
    """Raises _TooLong past MOST_COMPARED. Of a few words over and over, difflib takes the cube of their number."""

    a: Sequence[str]
    b2j: dict[str, list[int]]  # the places of each word of the other text
    compared = 0

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        self.compared += sum(len(self.b2j.get(word, ())) for word in self.a[alo:ahi])
        if self.compared > MOST_COMPARED:
            raise _TooLong
        return super().find_longest_match(alo, ahi, blo, bhi)


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces that make `after` out of `before`, in order; neighbours of one kind are one piece."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    try:
        if len(old) + len(new) > MOST_WORDS:
            raise _TooLong
        opcodes = _Matcher(None, old, new, autojunk=False).get_opcodes()
    except _TooLong:
        return [Piece("gone", before), Piece("new", after)]
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[i1:i2])))
            continue
        if i2 > i1:
            pieces.append(Piece("gone", "".join(old[i1:i2])))
        if j2 > j1:
            pieces.append(Piece("new", "".join(new[j1:j2])))
    return pieces
