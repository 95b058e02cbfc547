"""Merges two trees that come from one. Pure: contents are read through a function.

What both changed is merged line by line. Items that both added at one place of a list are all kept. Where that is not
enough, both sides are kept, ours where it was and theirs beside it, and a person is asked; no file ever holds a marker.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from merge3 import Merge3

from workspace.paths import path_fault, twin_fault
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


def merge_trees(base: Files, ours: Files, theirs: Files, *, read: Read, label: str) -> Merged:
    """`label` names their side: `plan.md.conflict-<label>`."""
    merged = Merged(dict(ours))
    for path in sorted(base.keys() | theirs.keys()):
        old, our, their = base.get(path), ours.get(path), theirs.get(path)
        if their in (old, our):
            continue
        if our == old:
            _take(merged, path, their, label)
        elif our is None or their is None:
            # One deleted what the other changed: what was changed stays.
            if their is not None:
                merged.files[path] = their
            merged.held.append(Kept(path, ""))
        else:
            _merge_contents(merged, path, old, our, their, read, label)
    return merged


def merge_lines(base: str, ours: str, theirs: str) -> str | None:
    """The merged text; None: they contradict each other."""
    lines: list[str] = []
    merge = Merge3(_lines(base), _lines(ours), _lines(theirs))
    for group in merge.merge_groups():
        if group[0] != "conflict":
            lines += group[1]
            continue
        _, old, our, their = group
        if old or not (_is_list(our) and _is_list(their)):
            return None
        lines += [*_ended(our), *(line for line in _ended(their) if line not in _ended(our))]
    return "".join(lines)


def _take(merged: Merged, path: str, their: Entry | None, label: str) -> None:
    """Only they changed it. A new path of theirs may be the twin of a new one of ours."""
    if their is None:
        merged.files.pop(path, None)
        return
    is_new = path not in merged.files
    merged.files[path] = their
    if is_new and twin_fault(merged.files):
        del merged.files[path]
        beside = _beside(path, label, merged.files)
        merged.files[beside] = their
        merged.held.append(Kept(path, beside))


def _merge_contents(
    merged: Merged, path: str, old: Entry | None, our: Entry, their: Entry, read: Read, label: str
) -> None:
    sides = [text_of(read(entry)) if entry else "" for entry in (old, our, their)]
    beside = _beside(path, label, merged.files)
    if sides[1] is None or sides[2] is None:  # no text: the newer one wins, the other is kept
        merged.files[beside], merged.files[path] = our, their
        return
    text = merge_lines(sides[0] or "", sides[1], sides[2])
    if text is None:
        merged.files[beside] = their
        merged.held.append(Kept(path, beside))
    else:
        merged.put(path, text.encode(), their.mode)


def _beside(path: str, label: str, taken: Iterable[str]) -> str:
    name = f"{path}.conflict-{label}"
    if path_fault(name) or twin_fault([*taken, name]):
        name = f"conflicts/{label}/{entry_of(path.encode()).sha256[:16]}"
    return name


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
