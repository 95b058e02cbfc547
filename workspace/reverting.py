"""Merges back what commits took out of files. Lines that somebody changed since stay as they are; other removals by
Rapport don't count as such a change.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

import orjson

from config.postgresql.sessions import execute
from relationships.text_matching import MOST_AT_ONCE, Effort
from workspace.history import reachable
from workspace.merging import merge_lines
from workspace.sentences import sentences_of, without
from workspace.store import Head, read_blobs
from workspace.trees import Draft, Entry, key_of, text_of

TAKES_OUT = "Take out what "  # how the messages of such commits begin
# What commits changed. Their trees stay in the database: each may list a thousand files.
_TAKEN = """
SELECT c.id, c.recorded_at, f.path, f.before::text, f.after::text
  FROM workspace_commit c
  JOIN workspace_commit p ON p.relationship_id = c.relationship_id AND p.id = c.parents[1]
  JOIN workspace_tree now ON now.relationship_id = c.relationship_id AND now.id = c.tree_id
  JOIN workspace_tree was ON was.relationship_id = c.relationship_id AND was.id = p.tree_id
 CROSS JOIN LATERAL ({changes}) f
 WHERE c.relationship_id = %(relationship)s AND f.before <> f.after AND {which}
 ORDER BY c.recorded_at DESC, c.id
"""
_WITH_MESSAGES = _TAKEN.format(
    changes="SELECT key AS path, a.value AS before, b.value AS after"
    " FROM jsonb_each(was.files) a JOIN jsonb_each(now.files) b USING (key)",
    which="c.message = ANY(%(messages)s)",
)
_OF_FILE_SINCE = _TAKEN.format(
    changes="SELECT %(path)s AS path, was.files -> %(path)s AS before, now.files -> %(path)s AS after",
    which="starts_with(c.message, %(begins)s) AND c.recorded_at >= %(since)s",
)


class _Taken(NamedTuple):
    """A commit that took something out: by path, the file's entries before and after."""

    id: UUID
    at: datetime
    changed: Mapping[str, tuple[Entry, Entry]]


class Undoing:
    """A change for `commit_on` that restores what the branch's commits with these messages took out."""

    def __init__(self, relationship_id: UUID, messages: Iterable[str]) -> None:
        self._relationship_id = relationship_id
        self.taken = self._read_commits(_WITH_MESSAGES, messages=list(messages))
        self._taken_since: dict[str, set[str]] = {}  # by path
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
        gone = self._gone_since(path) - set(sentences_of(now)) - _lost(said, left)
        said, left = (text if (rest := without(text, gone)) is None else rest for text in (said, left))
        return merge_lines(left, now, said, self._effort, both=True)

    def _gone_since(self, path: str) -> set[str]:
        """The sentences that Rapport's commits took out of this file since the first commit that is undone."""
        if path not in self._taken_since:
            since = self.taken[-1].at
            others = self._read_commits(_OF_FILE_SINCE, path=path, begins=TAKES_OUT, since=since)
            self._read(others, {})
            pairs = [other.changed[path] for other in others]
            lost = (_lost(self._texts[before.sha256], self._texts[after.sha256]) for before, after in pairs)
            self._taken_since[path] = set().union(*lost)
        return self._taken_since[path]

    def _read(self, taken: Iterable[_Taken], files: Mapping[str, Entry]) -> None:
        """Load the texts that are needed, in one statement; "" for binary files."""
        entries = {entry.sha256: entry for one in taken for pair in one.changed.values() for entry in pair}
        entries |= {files[path].sha256: files[path] for one in taken for path in one.changed if path in files}
        lacking = [entry for sha256, entry in entries.items() if sha256 not in self._texts]
        contents = read_blobs(self._relationship_id, lacking)
        self._texts |= {entry.sha256: text_of(contents[entry.sha256]) or "" for entry in lacking}

    def _read_commits(self, statement: str, **given: object) -> list[_Taken]:
        """Load commits, newest first."""
        rows = execute(statement, {"relationship": self._relationship_id, **given})
        return [
            _Taken(
                commit_id, at, {path: (_entry(before), _entry(after)) for *_, path, before, after in changed}
            )
            for (commit_id, at), changed in groupby(rows, key=lambda row: row[:2])
        ]


def _entry(text: str) -> Entry:
    return Entry(*orjson.loads(text))


def _lost(before: str, after: str) -> set[str]:
    return set(sentences_of(before)) - set(sentences_of(after))
