"""Merges back what commits took out of files. Lines that somebody changed since stay as they are; other removals by
Rapport don't count as such a change.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from relationships.models import OwnedQuerySet
from relationships.text_matching import MOST_AT_ONCE, Effort
from workspace.history import reachable
from workspace.merging import merge_lines
from workspace.models import Commit, Tree
from workspace.sentences import sentences_of, without
from workspace.store import Head, read_blobs
from workspace.trees import Draft, Entry, key_of, text_of

TAKES_OUT = "Take out what "  # how the messages of such commits begin


class _Taken(NamedTuple):
    """A commit that took something out: by path, the file's entries before and after."""

    id: UUID
    at: datetime
    changed: Mapping[str, tuple[Entry, Entry]]


class Undoing:
    """A change for `commit_on` that restores what the branch's commits with these messages took out."""

    def __init__(self, relationship_id: UUID, messages: Iterable[str]) -> None:
        self._relationship_id = relationship_id
        self._commits: OwnedQuerySet = Commit.objects.for_relationship(relationship_id)
        self.taken = self._read_commits(self._commits.filter(message__in=list(messages)))
        self._others: list[_Taken] | None = None
        self._texts: dict[str, str] = {}  # by SHA-256
        self._effort = Effort(MOST_AT_ONCE)

    def __call__(self, head: Head) -> tuple[Draft, str]:
        draft = Draft(dict(head.files))
        own = reachable(self._relationship_id, key_of(head.commit))
        self._read(self.taken, draft.files)
        for taken in (taken for taken in self.taken if taken.id in own):
            for path, (before, after) in taken.changed.items():
                there = draft.files.get(path)
                text = self._merged(path, there, before, after) if there else None
                if text is not None:
                    self._texts[draft.put(path, text.encode()).sha256] = text
        return draft, "Bring back what was taken out"

    def _merged(self, path: str, there: Entry, before: Entry, after: Entry) -> str | None:
        said, now, left = (self._texts[entry.sha256] for entry in (before, there, after))
        merged = merge_lines(left, now, said, self._effort, both=True)
        if merged is not None:
            return merged
        gone = self._taken_since(path) - set(sentences_of(now)) - _lost(said, left)
        said, left = (text if (rest := without(text, gone)) is None else rest for text in (said, left))
        return merge_lines(left, now, said, self._effort, both=True)

    def _taken_since(self, path: str) -> set[str]:
        """The sentences that Rapport's commits took out of this file since the first commit that is undone."""
        if self._others is None:
            since = self._commits.filter(message__startswith=TAKES_OUT, recorded_at__gte=self.taken[-1].at)
            self._others = self._read_commits(since)
            self._read(self._others, {})
        pairs = [taken.changed[path] for taken in self._others if path in taken.changed]
        lost = (_lost(self._texts[before.sha256], self._texts[after.sha256]) for before, after in pairs)
        return set().union(*lost)

    def _read(self, taken: Iterable[_Taken], files: Mapping[str, Entry]) -> None:
        """Load the texts that are needed, in one statement; "" for binary files."""
        entries = {entry.sha256: entry for one in taken for pair in one.changed.values() for entry in pair}
        entries |= {files[path].sha256: files[path] for one in taken for path in one.changed if path in files}
        lacking = [entry for sha256, entry in entries.items() if sha256 not in self._texts]
        contents = read_blobs(self._relationship_id, lacking)
        self._texts |= {entry.sha256: text_of(contents[entry.sha256]) or "" for entry in lacking}

    def _read_commits(self, rows: OwnedQuerySet) -> list[_Taken]:
        """Load these commits, newest first, in three statements."""
        found = list(rows.order_by("-recorded_at").values_list("id", "tree_id", "parents", "recorded_at"))
        parents = self._commits.filter(id__in=[parents[0] for _, _, parents, _ in found])
        trees_before = dict(parents.values_list("id", "tree_id"))
        ids = {*trees_before.values(), *(tree_id for _, tree_id, _, _ in found)}
        trees = Tree.objects.for_relationship(self._relationship_id).filter(id__in=ids)
        files = dict(trees.values_list("id", "files"))
        return [
            _Taken(commit_id, at, _changed(files[trees_before[parents[0]]], files[tree_id]))
            for commit_id, tree_id, parents, at in found
        ]


def _changed(
    before: Mapping[str, list[Any]], after: Mapping[str, list[Any]]
) -> dict[str, tuple[Entry, Entry]]:
    return {
        path: (Entry(*before[path]), Entry(*entry))
        for path, entry in after.items()
        if path in before and before[path] != entry
    }


def _lost(before: str, after: str) -> set[str]:
    return set(sentences_of(before)) - set(sentences_of(after))
