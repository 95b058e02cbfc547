"""The statements that read and write trees: one to read a branch, one to read its files, one to commit.

A commit moves its branch from the commit that was read to a new one, or does nothing if somebody moved it meanwhile.
It locks the relationship's row first, as every writer does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
from django.utils import timezone

from config.postgresql.rows import insert_of, rows_text
from config.postgresql.sessions import prepared_cursor
from relationships.models import Relationship
from workspace.models import Blob, Branch, Commit, Tree
from workspace.trees import Draft, Entry, Files, commit_raw, git_sha, key_of, tree_sha

# Of trees and of other rows that one statement inserts: larger statements are slow, and take much memory.
FILES_AT_ONCE, BYTES_AT_ONCE = 1000, 2_000_000

_AT_COMMIT = """
SELECT c.sha, t.sha, t.files::text, c.recorded_at
  FROM workspace_commit c
  JOIN workspace_tree t ON t.relationship_id = c.relationship_id AND t.id = c.tree_id
 WHERE c.relationship_id = %(relationship)s AND c.id = %(commit)s
"""
_AT_BRANCH = _AT_COMMIT.replace(
    "%(commit)s",
    "(SELECT commit_id FROM workspace_branch WHERE relationship_id = %(relationship)s AND name = %(branch)s)",
)
_CONTENTS = """
SELECT f.key, (SELECT content FROM workspace_blob -- one by one, however many contents the history holds
                WHERE relationship_id = %(relationship)s AND id = left(f.value ->> 0, 32)::uuid)
  FROM workspace_branch b
  JOIN workspace_tree t ON t.relationship_id = b.relationship_id AND t.id = b.tree_id
 CROSS JOIN jsonb_each(t.files) f
 WHERE b.relationship_id = %(relationship)s AND b.name = %(branch)s
"""
_BLOBS = (
    "SELECT id, content FROM workspace_blob WHERE relationship_id = %(relationship)s AND id = ANY(%(ids)s)"
)
# The inserts select from the relationship's row, so that on Citus they run on that row's node.
_IF_MOVED = ", relationships_relationship r, moved WHERE r.id = %(relationship)s ON CONFLICT DO NOTHING"
_COMMIT = f"""
WITH held AS (
    SELECT id FROM relationships_relationship WHERE id = %(relationship)s FOR UPDATE
), moved AS (
    UPDATE workspace_branch b SET commit_id = %(commit)s, tree_id = %(tree)s, updated_at = %(at)s
      FROM held WHERE b.relationship_id = held.id AND b.relationship_id = %(relationship)s
       AND b.name = %(branch)s AND b.commit_id = %(parent)s
    RETURNING 1
), blobs AS ({insert_of(Blob, "blobs", source=_IF_MOVED, relationship_id="r.id")}),
   trees AS ({insert_of(Tree, "trees", source=_IF_MOVED, relationship_id="r.id")}),
   commits AS ({insert_of(Commit, "commits", source=_IF_MOVED, relationship_id="r.id")})
SELECT 1 FROM moved
"""  # noqa: S608 - our own names


@dataclass(frozen=True, slots=True)
class Head:
    """A commit and its tree by their SHA-1s, the files, and when it was recorded."""

    commit: str
    tree: str
    files: Files
    at: datetime

    def next_moment(self) -> datetime:
        """When to record what comes after it: now, but never before it, so that the log stays in order."""
        return max(timezone.now(), self.at + timedelta(microseconds=1))


@dataclass(frozen=True, slots=True)
class NewCommit(Head):
    """A commit to write. `blobs`: contents by row ID; some may be stored already."""

    parents: tuple[str, ...]
    raw: bytes
    author: str
    message: str
    blobs: Mapping[UUID, bytes]


def read_head(relationship_id: UUID, branch: str) -> Head | None:
    return _head(_AT_BRANCH, {"relationship": relationship_id, "branch": branch})


def read_commit(relationship_id: UUID, commit: UUID) -> Head | None:
    return _head(_AT_COMMIT, {"relationship": relationship_id, "commit": commit})


def read_contents(relationship_id: UUID, branch: str) -> dict[str, bytes]:
    """The contents of all files of a branch, by path, in one statement."""
    with prepared_cursor(binary=True) as cursor:
        cursor.execute(_CONTENTS, {"relationship": relationship_id, "branch": branch})
        return {path: bytes(content) for path, content in cursor.fetchall() if content is not None}


def read_blobs(relationship_id: UUID, entries: Iterable[Entry]) -> dict[str, bytes]:
    """The contents of these entries, by SHA-256."""
    by_id = {key_of(entry.sha256): entry.sha256 for entry in entries}
    if not by_id:
        return {}
    with prepared_cursor(binary=True) as cursor:
        cursor.execute(_BLOBS, {"relationship": relationship_id, "ids": list(by_id)})
        return {by_id[row_id]: bytes(content) for row_id, content in cursor.fetchall()}


def make_commit(
    draft: Draft, *, parents: tuple[str, ...], author: str, message: str, at: datetime
) -> NewCommit:
    tree = tree_sha(draft.files)
    raw = commit_raw(tree, parents, author, message, at)
    sha = git_sha("commit", raw)
    return NewCommit(sha, tree, draft.files, at, parents, raw, author, message, draft.blobs)


def write_commit(relationship: Relationship, branch: str, commit: NewCommit, *, moves_from: str) -> bool:
    """Write a commit and move the branch to it. False: the branch is not at `moves_from`, and nothing was written."""
    blobs, trees, commits = _rows_of(relationship, [commit])
    values: dict[str, Any] = {
        "relationship": relationship.id,
        "branch": branch,
        "parent": key_of(moves_from),
        "commit": key_of(commit.commit),
        "tree": key_of(commit.tree),
        "at": commit.at,
        "blobs": rows_text(blobs),
        "trees": rows_text(trees),
        "commits": rows_text(commits),
    }
    with prepared_cursor() as cursor:
        cursor.execute(_COMMIT, values)
        return cursor.fetchone() is not None


def keep_commits(relationship: Relationship, commits: Sequence[NewCommit]) -> None:
    """Write the rows of these commits without moving a branch; some may exist already. Under the row lock."""
    blobs, trees, rows = _rows_of(relationship, commits)
    files_at_once = _at_once(FILES_AT_ONCE, (len(tree.files) for tree in trees))
    blobs_at_once = _at_once(BYTES_AT_ONCE, (blob.size for blob in blobs))
    commits_at_once = _at_once(BYTES_AT_ONCE, (len(commit.raw) for commit in rows))
    Blob.objects.bulk_create(blobs, batch_size=blobs_at_once, ignore_conflicts=True)
    Tree.objects.bulk_create(trees, batch_size=files_at_once, ignore_conflicts=True)
    Commit.objects.bulk_create(rows, batch_size=commits_at_once, ignore_conflicts=True)


def _at_once(most: int, sizes: Iterable[int]) -> int:
    """How many rows have `most` together, whichever they are."""
    return max(1, most // max([1, *sizes]))


def _rows_of(
    relationship: Relationship, commits: Iterable[NewCommit]
) -> tuple[list[Blob], list[Tree], list[Commit]]:
    own = relationship.owner
    contents = {key: content for commit in commits for key, content in commit.blobs.items()}
    trees = {commit.tree: commit.files for commit in commits}
    return (
        [Blob(**own, id=key, size=len(content), content=content) for key, content in contents.items()],
        [Tree(**own, id=key_of(sha), sha=sha, files=files) for sha, files in trees.items()],
        [
            Commit(
                **own,
                id=key_of(commit.commit),
                sha=commit.commit,
                tree_id=key_of(commit.tree),
                parents=[key_of(sha) for sha in commit.parents],
                raw=commit.raw,
                author=commit.author[:300],
                message=commit.message,
                recorded_at=commit.at,
            )
            for commit in commits
        ],
    )


def move_branch(relationship: Relationship, name: str, to: Head, *, at: datetime) -> None:
    """Move a branch, or create it. Under the relationship's row lock."""
    place = {"commit_id": key_of(to.commit), "tree_id": key_of(to.tree), "updated_at": at}
    if not Branch.objects.for_relationship(relationship.id).filter(name=name).update(**place):
        Branch.objects.create(**relationship.owner, name=name, **place)


def _head(statement: str, values: dict[str, Any]) -> Head | None:
    with prepared_cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    if row is None:
        return None
    files = {path: Entry(*entry) for path, entry in orjson.loads(row[2]).items()}
    return Head(row[0], row[1], files, row[3])
