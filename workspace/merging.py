"""Merges two trees that come from one. Pure: contents are read through a function.

What both changed is merged line by line. Items that both added at one place of a list are all kept. Where that is not
enough, both sides are kept, ours where it was and theirs beside it, and a person is asked; no file ever holds a marker.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

from merge3 import Merge3

from relationships.text_matching import MOST_AT_ONCE, Effort, Matcher
from workspace.paths import Names, path_fault
from workspace.trees import Entry, Files, entry_of, key_of, text_of

Read = Callable[[Entry], bytes]
_ITEM = ("- ", "* ", "+ ", "#", "| ")


@dataclass(frozen=True, slots=True)
class Kept:
    """A conflict: `path`, and where their side of it is; "" where there was nothing to keep beside it."""

    path: str
    kept_as: str


@dataclass(slots=True)
class Merged:
    """`held`: what a person has to look at."""

    files: Files
    blobs: dict[UUID, bytes] = field(default_factory=dict)
    held: list[Kept] = field(default_factory=list)

    def put(self, path: str, content: bytes, mode: int) -> None:
        entry = entry_of(content, mode=mode)
        self.files[path] = entry
        self.blobs[key_of(entry.sha256)] = content


@dataclass(frozen=True, slots=True)
class _Aside:
    """One side that finds no place at its path. `held`: a person is asked about it."""

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
            # One deleted what the other changed: what was changed stays.
            if their is not None:
                merged.files[path] = their
            merged.held.append(Kept(path, ""))
        else:
            asides += _merge_contents(merged, path, old, our, their, read, effort)
    _place(merged, asides, new=[path for path in merged.files if path not in ours], label=label)
    return merged


def merge_lines(base: str, ours: str, theirs: str, effort: Effort, *, both: bool = False) -> str | None:
    """The merged text; None: they contradict each other. `both`: what both added at one place is kept, items or not."""
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
        kept = _ended(our)
        known = set(kept)
        lines += [*kept, *(line for line in _ended(their) if line not in known)]
    return "".join(lines)


def _merge_contents(
    merged: Merged, path: str, old: Entry | None, our: Entry, their: Entry, read: Read, effort: Effort
) -> list[_Aside]:
    before, mine, yours = (text_of(read(entry)) if entry else "" for entry in (old, our, their))
    if mine is None or yours is None:  # no text: the newer one wins, the other is kept
        merged.files[path] = their
        return [_Aside(path, our, held=False)]
    text = merge_lines(before or "", mine, yours, effort)
    if text is None:
        return [_Aside(path, their)]
    merged.put(path, text.encode(), their.mode)
    return []


def _place(merged: Merged, asides: Sequence[_Aside], *, new: Sequence[str], label: str) -> None:
    """A new path of theirs may be the twin of one of ours; the name beside a path may be taken."""
    names = Names()
    later = set(new)
    for path in merged.files:
        if path not in later:
            names.add(path)
    twins = [_Aside(path, merged.files.pop(path)) for path in new if names.add(path)]
    for aside in (*asides, *twins):
        beside = next(
            path
            for path in _besides(aside.path, label)
            if path not in merged.files and not path_fault(path) and not names.add(path)
        )
        merged.files[beside] = aside.entry
        if aside.held:
            merged.held.append(Kept(aside.path, beside))


def _besides(path: str, label: str) -> Iterator[str]:
    """Where it may be kept: beside it, or, as that is too long or taken, in a folder for that."""
    yield f"{path}.conflict-{label}"
    name = entry_of(path.encode()).sha256[:16]
    yield f"conflicts/{label}/{name}"
    yield from (f"conflicts-{number}/{label}/{name}" for number in count(2))


def _lines(text: str) -> list[str]:
    """By line feeds alone, with the last one ended, so that two who append there append lines."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [f"{line}\n" for line in lines]


def _is_list(lines: Sequence[str]) -> bool:
    written = [line.strip() for line in lines if line.strip()]
    return bool(written) and all(
        line.startswith(_ITEM) or line.split(".", 1)[0].isdigit() for line in written
    )


def _ended(lines: Sequence[str]) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
