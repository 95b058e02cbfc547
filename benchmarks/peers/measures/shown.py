"""What lines of text say, compared without regard to case, white space and closing punctuation. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the lines that a model is shown are right about one change."""

    old_is_gone: bool
    new_is_there: bool
    once: bool

    @property
    def right(self) -> bool:
        return self.old_is_gone and self.new_is_there and self.once


class Tally(NamedTuple):
    """How many facts are nowhere, there more than once (each time too many), or with somebody else."""

    lost: int
    duplicated: int
    misplaced: int


# A fact, in each form in which it may be found: its statement, the message that says it.
Forms = Sequence[str]


def judge(lines: Sequence[str], *, old: Forms = (), new: Forms = ()) -> Verdict:
    """`new` may be empty: then there is nothing that has to be there."""
    times = times_shown(lines, new)
    return Verdict(
        old_is_gone=not times_shown(lines, old),
        new_is_there=not new or times > 0,
        once=not new or times <= 1,
    )


def times_shown(lines: Iterable[str], forms: Forms) -> int:
    """The lines that hold the fact in any of its forms."""
    wanted = [_plain(form) for form in forms]
    return sum(any(form in line for form in wanted) for line in map(_plain, lines))


def tally(expected: Mapping[str, Sequence[Forms]], stored: Mapping[str, Sequence[str]]) -> Tally:
    """`expected`: each person's facts; `stored`: all that is stored about each of the same people."""
    lost = duplicated = misplaced = 0
    for person, facts in expected.items():
        for forms in facts:
            times = times_shown(stored[person], forms)
            lost += times == 0
            duplicated += max(0, times - 1)
            misplaced += sum(times_shown(lines, forms) for other, lines in stored.items() if other != person)
    return Tally(lost, duplicated, misplaced)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
