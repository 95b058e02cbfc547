"""Which commit wrote each line of a file."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import groupby
from uuid import UUID

from relationships.models import Relationship
from relationships.text_matching import MOST_AT_ONCE, Effort, lines_of, matching_lines
from web.errors import InvalidInput
from workspace.errors import FileNotThere
from workspace.files import FileRead
from workspace.history import FileHistory, file_history
from workspace.models import Commit
from workspace.store import read_blobs
from workspace.trees import Entry, text_of

MOST_BYTES = 20_000_000  # total size of the versions that are compared, newest first
Lines = Mapping[str, Sequence[str]]  # by a content's SHA-256
Writers = UUID | list[UUID]  # the commit that wrote each line, or all of them


@dataclass(frozen=True, slots=True)
class Hunk:
    """Adjacent lines that one commit wrote. `first_line` counts from 1. `boundary`: written by this commit or an
    earlier one; the search stopped here.
    """

    commit: Commit
    first_line: int
    text: str
    boundary: bool


def blame(relationship: Relationship, branch: str, read: FileRead) -> list[Hunk]:
    """Find which commit wrote each line of a file on a branch, in line order. `read`: the file, read from that branch.
    Raises FileNotThere, NotFound, and InvalidInput for binary and generated files.
    """
    path = read.path
    if not read.commit:
        raise InvalidInput.of("path", f"{path} is generated when it is read: no commit wrote its lines")
    if text_of(read.content) is None:
        raise InvalidInput.of("path", f"{path} is not a text file: it has no lines")
    history = file_history(relationship, branch, path)
    graph = {commit.id: commit.parents for commit in history.commits.values()}
    order = list(TopologicalSorter(graph).static_order())  # parents first, the branch's own commit last
    looked_at = _newest_versions(history, order)
    lines = _lines(relationship, history, looked_at)
    writers, effort = dict[UUID, Writers](), Effort(MOST_AT_ONCE)
    for commit_id in order:
        if entry := history.entry_of(commit_id):
            writers[commit_id] = _writers_of(commit_id, entry, history, looked_at, lines, writers, effort)
    if not (entry := history.entry_of(order[-1])) or entry.sha256 not in lines:
        raise FileNotThere(f"There is no file {path}.")
    return _hunks(_per_line(writers[order[-1]], lines[entry.sha256]), lines[entry.sha256], history, looked_at)


def _writers_of(
    commit_id: UUID,
    entry: Entry,
    history: FileHistory,
    looked_at: Collection[UUID],
    lines: Lines,
    writers: Mapping[UUID, Writers],
    effort: Effort,
) -> Writers:
    parents = [parent for parent in history.commits[commit_id].parents if parent in writers]
    for parent in parents:
        if history.entry_of(parent) == entry:
            return writers[parent]
    if commit_id not in looked_at:
        return commit_id
    new = lines[entry.sha256]
    found = [commit_id] * len(new)
    for parent in reversed(parents):  # the first parent comes last, so its lines win
        old = lines[history.entry_of(parent).sha256]  # type: ignore[union-attr]
        theirs = _per_line(writers[parent], old)
        for at, to, size in matching_lines(old, new, effort=effort):
            found[to : to + size] = theirs[at : at + size]
    return found


def _newest_versions(history: FileHistory, order: Sequence[UUID]) -> set[UUID]:
    """The commits that made a new version, newest first, until MOST_BYTES are used up (always at least one)."""
    found: set[UUID] = set()
    room = MOST_BYTES
    for commit_id in reversed(order):
        entry = history.entry_of(commit_id)
        parents = history.commits[commit_id].parents
        if entry is None or entry in map(history.entry_of, parents):
            continue
        room -= entry.size + 100
        if found and room < 0:
            break
        found.add(commit_id)
    return found


def _lines(relationship: Relationship, history: FileHistory, looked_at: Collection[UUID]) -> Lines:
    needed = {commit_id for looked in looked_at for commit_id in (looked, *history.commits[looked].parents)}
    entries = [entry for entry in map(history.entry_of, needed) if entry]
    contents = read_blobs(relationship.id, entries)
    return {sha256: lines_of(text_of(content) or "") for sha256, content in contents.items()}


def _per_line(writers: Writers, lines: Sequence[str]) -> list[UUID]:
    return writers if isinstance(writers, list) else [writers] * len(lines)


def _hunks(
    writers: Sequence[UUID], lines: Sequence[str], history: FileHistory, looked_at: Collection[UUID]
) -> list[Hunk]:
    hunks, first = [], 0
    for commit_id, group in groupby(writers):
        after = first + len(list(group))
        commit, text = history.commits[commit_id], "".join(lines[first:after])
        hunks.append(Hunk(commit, first + 1, text, boundary=commit_id not in looked_at))
        first = after
    return hunks
