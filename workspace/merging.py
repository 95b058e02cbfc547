"""Merges two trees with a common base. Pure: contents are read through a function.

A file that both sides changed is merged line by line. Items that both added at one place of a list are all kept. On a
conflict, both sides are kept, ours at the path and theirs beside it, for a person to decide. Files never get markers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from merge3 import Merge3

from relationships.text_matching import MOST_AT_ONCE, Effort, Matcher
from workspace.paths import Names, path_fault
from workspace.trees import Draft, Entry, Files, entry_of, text_of

Read = Callable[[Entry], bytes]
_ITEM = ("- ", "* ", "+ ", "#", "| ")


@dataclass(frozen=True, slots=True)
class Kept:
    """A conflict at `path`. `kept_as`: where their side is kept; "" if one side deleted what the other changed, which
    stays. `deleted`: they did.
    """

    path: str
    kept_as: str = ""
    deleted: bool = False


@dataclass(slots=True)
class Merged(Draft):
    """The result. `held`: conflicts for a person to decide."""

    held: list[Kept] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Aside:
    """A side that can't stay at its path. `held`: a person has to decide."""

    path: str
    entry: Entry
    held: bool = True


def merge_trees(base: Files, ours: Files, theirs: Files, *, read: Read, label: str) -> Merged:
    """`label` names their side: `plan.md.conflict-<label>`."""
    merged = Merged(dict(ours))
    asides, effort = list[_Aside](), Effort(MOST_AT_ONCE)
    for path in sorted(base.keys() | theirs.keys()):
        old, our, their = base.get(path), ours.get(path), theirs.get(path)
        if their in (old, our):
            continue
        if our == old:
            if their is None:
                del merged.files[path]
            else:
                merged.files[path] = their
        elif our is None or their is None:
            # One side deleted what the other changed: keep the change.
            if their is not None:
                merged.files[path] = their
            merged.held.append(Kept(path, deleted=their is None))
        else:
            asides += _merge_contents(merged, path, old, our, their, read, effort)
    _place_asides(merged, asides, new=[path for path in merged.files if path not in ours], label=label)
    return merged


def merge_lines(base: str, ours: str, theirs: str, effort: Effort, *, both: bool = False) -> str | None:
    """Merge two texts; None on a conflict. `both`: keep what both added at one place even if it is not a list."""
    lines: list[str] = []
    matcher: Any = partial(Matcher, effort=effort)
    merge = Merge3(_lines(base), _lines(ours), _lines(theirs), sequence_matcher=matcher)
    for group in merge.merge_groups():
        if group[0] != "conflict":
            lines += group[1]
            continue
        _, old, our, their = group
        if old or not (both or (_is_list(our) and _is_list(their))):
            return None
        known = set(our)
        lines += [*our, *(line for line in their if line not in known)]
    return "".join(lines)


def _merge_contents(
    merged: Merged, path: str, old: Entry | None, our: Entry, their: Entry, read: Read, effort: Effort
) -> list[_Aside]:
    before, mine, yours = (text_of(read(entry)) if entry else "" for entry in (old, our, their))
    if mine is None or yours is None:  # binary: theirs is newer and wins, ours is kept beside it
        merged.files[path] = their
        return [_Aside(path, our, held=False)]
    text = merge_lines(before or "", mine, yours, effort)
    if text is None:
        return [_Aside(path, their)]
    merged.put(path, text.encode(), mode=their.mode)
    return []


def _place_asides(merged: Merged, asides: Sequence[_Aside], *, new: Sequence[str], label: str) -> None:
    """Find free paths for the asides. New paths that clash with one of ours become asides, too."""
    names = Names()
    later = set(new)
    for path in merged.files:
        if path not in later:
            names.add(path)
    twins = [_Aside(path, merged.files.pop(path)) for path in new if names.add(path)]
    since = 1
    for aside in (*asides, *twins):
        number, beside = next(
            (number, path)
            for number, path in _paths_beside(aside.path, label, since)
            if path not in merged.files and not path_fault(path) and not names.add(path)
        )
        since = max(since, number)  # what stood in one's way stands in the next one's
        merged.files[beside] = aside.entry
        if aside.held:
            merged.held.append(Kept(aside.path, beside))


def _paths_beside(path: str, label: str, since: int) -> Iterator[tuple[int, str]]:
    """Candidate paths for an aside: beside the file; if that is too long or taken, in a separate folder. `since`: the
    number of the first such folder to try; each comes with its number, or 0.
    """
    yield 0, f"{path}.conflict-{label}"
    name = entry_of(path.encode()).sha256[:16]
    for number in count(since):
        yield number, f"conflicts{f'-{number}' if number > 1 else ''}/{label}/{name}"


def _lines(text: str) -> list[str]:
    """Split at line feeds only, and end the last line, so that two sides that append there add whole lines."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [f"{line}\n" for line in lines]


def _is_list(lines: Sequence[str]) -> bool:
    written = [line.strip() for line in lines if line.strip()]
    return bool(written) and all(
        line.startswith(_ITEM) or line.split(".", 1)[0].isdigit() for line in written
    )
