"""Compare two texts by words or lines, in bounded time. Pure."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

MOST_AT_ONCE = 20_000_000  # Effort of all comparisons of one request
INDEXED = 10  # effort for each line that is indexed, before any pair is compared
LOOKED = 30  # effort for each look for the longest piece, besides the pairs
CONTEXT = 3  # lines shown around a change, as git does


@dataclass(slots=True)
class Effort:
    """How many pairs of equal words or lines may still be compared, in one comparison or in all of a request.

    A million take about a tenth of a second.
    """

    left: int = 2_000_000


class Matcher(difflib.SequenceMatcher[str]):
    """difflib's matcher with a limit, as its time grows with the cube of the lines if a few repeat over and over.

    Out of effort it matches only the beginning and the end: the result stays correct, but becomes coarser.
    """

    a: Sequence[str]
    b: Sequence[str]
    b2j: dict[str, list[int]]  # the indexes of each line in the other text

    def __init__(
        self,
        isjunk: None = None,
        a: Sequence[str] = "",
        b: Sequence[str] = "",
        autojunk: bool = True,
        *,
        effort: Effort | None = None,
    ) -> None:
        self.effort = effort or Effort()
        super().__init__(isjunk, a, b, autojunk)

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        ahi, bhi = len(self.a) if ahi is None else ahi, len(self.b) if bhi is None else bhi
        if self.effort.left > 0:
            self.effort.left -= (
                LOOKED + ahi - alo + sum(len(self.b2j.get(line, ())) for line in self.a[alo:ahi])
            )
        if self.effort.left > 0:
            return super().find_longest_match(alo, ahi, blo, bhi)
        most = min(ahi - alo, bhi - blo)
        alike = _alike((self.a[alo + at], self.b[blo + at]) for at in range(most))
        if alike:
            return difflib.Match(alo, blo, alike)
        alike = _alike((self.a[ahi - at], self.b[bhi - at]) for at in range(1, most + 1))
        return difflib.Match(ahi - alike, bhi - alike, alike)


def matching_lines(
    old: Sequence[str], new: Sequence[str], *, effort: Effort
) -> Iterator[tuple[int, int, int]]:
    """Where each piece that both have begins in each of them, and its length. Only what is between the first and the
    last difference is compared line by line, as long as there is effort left.
    """
    most = min(len(old), len(new))
    head = _alike(zip(old, new, strict=False))
    tail = _alike((old[-at], new[-at]) for at in range(1, most - head + 1))
    yield 0, 0, head
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    effort.left -= INDEXED * len(right) if left else 0
    if left and right and effort.left > 0:
        for at, to, size in Matcher(None, left, right, effort=effort).get_matching_blocks():
            yield head + at, head + to, size
    yield len(old) - tail, len(new) - tail, tail


def unified_diff(before: str, after: str, *, path: str, effort: Effort | None = None) -> str:
    """The diff in git's format; "" if both are the same."""
    old, new = lines_of(before), lines_of(after)
    lines = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    for group in Matcher(None, old, new, effort=effort).get_grouped_opcodes(CONTEXT):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        lines.append(f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n")
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[a1:a2]]
                continue
            lines += [f"-{line}" for line in old[a1:a2]]
            lines += [f"+{line}" for line in new[b1:b2]]
    if len(lines) == 2:
        return ""
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def lines_of(text: str) -> list[str]:
    """Split at line feeds only, as git does, and keep them."""
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])


def _alike(pairs: Iterator[tuple[str, str]]) -> int:
    """Count the equal pairs before the first unequal one."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _range(start: int, stop: int) -> str:
    """A line range in a unified diff's notation, where an empty range names the line before it."""
    length = stop - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"
