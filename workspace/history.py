"""Reads history: the commits of a branch, and the differences between two of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Func, JSONField, Value

from config.postgresql.sessions import execute
from relationships.models import OwnedQuerySet, Relationship
from relationships.text_matching import MOST_AT_ONCE, Effort, unified_diff
from web.errors import NotFound
from workspace.models import MAIN, Commit, Tree
from workspace.store import Head, read_blobs, read_commit, read_head
from workspace.trees import Entry, Files, key_of, text_of

BYTES_A_PAGE = 1_000_000
_SHA = re.compile(r"[0-9a-f]{40}")
# A commit and all its ancestors.
_REACHABLE = """
WITH RECURSIVE reached (id) AS (
    SELECT %(commit)s::uuid
     UNION
    SELECT parent FROM reached
      JOIN workspace_commit c ON c.relationship_id = %(relationship)s AND c.id = reached.id
     CROSS JOIN unnest(c.parents) parent
)
SELECT id FROM reached
"""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """How one file differs between two trees. `status`: added, changed, deleted. `text`: unified diff; None: binary."""

    path: str
    status: str
    text: str | None


def reachable(relationship_id: UUID, commit_id: UUID) -> set[UUID]:
    return {row[0] for row in execute(_REACHABLE, {"relationship": relationship_id, "commit": commit_id})}


def log_of(relationship: Relationship, branch: str = MAIN) -> OwnedQuerySet:
    """The commits of a branch, unordered. Raises NotFound; a main that does not exist yet has none."""
    commits: OwnedQuerySet = Commit.objects.for_relationship(relationship.id)
    head = head_of(relationship, branch)
    own = reachable(relationship.id, key_of(head.commit)) if head else ()
    return commits.filter(id__in=own)


def get_commit(relationship: Relationship, sha: str) -> Commit:
    """Raises NotFound."""
    rows = Commit.objects.for_relationship(relationship.id)
    row: Commit | None = rows.filter(id=key_of(sha), sha=sha).first() if _SHA.fullmatch(sha) else None
    if row is None:
        raise NotFound("This commit does not exist.")
    return row


def head_at(relationship: Relationship, revision: str) -> Head:
    """The head of a branch by name, or a commit by SHA-1. Raises NotFound."""
    head = read_head(relationship.id, revision)
    if head is None and _SHA.fullmatch(revision):
        head = read_commit(relationship.id, key_of(revision))
    if head is None:
        raise NotFound("There is no branch and no commit of this name.")
    return head


def head_of(relationship: Relationship, branch: str, at: str = "") -> Head | None:
    """The commit `at`, or else the branch's; None for a main that does not exist yet. Raises NotFound."""
    if branch == MAIN and not at:
        return read_head(relationship.id, MAIN)
    return head_at(relationship, at or branch)


def trees_of(relationship: Relationship, commit: Commit) -> tuple[Files, Files]:
    """The files of a commit's first parent, and those of the commit itself."""
    after = read_commit(relationship.id, commit.id)
    assert after is not None, "a commit has its tree"
    before = read_commit(relationship.id, commit.parents[0]) if commit.parents else None
    return before.files if before else {}, after.files


def paths_between(before: Files, after: Files) -> list[str]:
    """The paths of the files that differ, in order."""
    return [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]


def page_of_changes(
    relationship_id: UUID, before: Files, after: Files, *, limit: int, after_path: str
) -> tuple[list[FileDiff], str | None]:
    """A page of the differences after `after_path`, and the cursor of the next page, if there is one.

    A page has at most `limit` files, of at most BYTES_A_PAGE together, but at least one file.
    """
    left = [path for path in paths_between(before, after) if path > after_path]
    shown: list[str] = []
    room = BYTES_A_PAGE
    for path in left[:limit]:
        room -= sum(tree[path].size for tree in (before, after) if path in tree)
        if shown and room < 0:
            break
        shown.append(path)
    changes = diff_trees(relationship_id, before, after, shown)
    return changes, shown[-1] if len(shown) < len(left) else None


def diff_trees(relationship_id: UUID, before: Files, after: Files, paths: Sequence[str]) -> list[FileDiff]:
    """The differences of these files. `paths`: from `paths_between`."""
    return list(_diffs(relationship_id, [(path, before.get(path), after.get(path)) for path in paths]))


def _diffs(
    relationship_id: UUID, changes: Sequence[tuple[str, Entry | None, Entry | None]]
) -> Iterator[FileDiff]:
    """Yield the difference of each file, by its path and its entries before and after."""
    contents = read_blobs(relationship_id, [entry for _, *both in changes for entry in both if entry])
    effort = Effort(MOST_AT_ONCE)
    for path, old, new in changes:
        status = "added" if old is None else "deleted" if new is None else "changed"
        before, after = (text_of(contents[entry.sha256]) if entry else "" for entry in (old, new))
        text = None
        if before is not None and after is not None:
            text = unified_diff(before, after, path=path, effort=effort)
        yield FileDiff(path, status, text)


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The commits of a branch by ID, and a file's entry by ID of the tree."""

    commits: Mapping[UUID, Commit]
    entry_in: Mapping[UUID, Entry]

    def entry_of(self, commit_id: UUID | None) -> Entry | None:
        commit = self.commits.get(commit_id) if commit_id else None
        return self.entry_in.get(commit.tree_id) if commit else None


def file_history(relationship: Relationship, branch: str, path: str) -> FileHistory:
    """Raises NotFound."""
    commits = {row.id: row for row in log_of(relationship, branch).defer("raw")}
    trees = Tree.objects.for_relationship(relationship.id).filter(
        id__in={row.tree_id for row in commits.values()}
    )
    entry = Func(F("files"), Value(path), function="jsonb_extract_path", output_field=JSONField())
    kept = trees.values_list("id", entry)
    return FileHistory(commits, {key: Entry(*entry) for key, entry in kept if entry})


def log_of_file(
    relationship: Relationship, branch: str, path: str, *, most: int
) -> list[tuple[Commit, FileDiff]]:
    """The last `most` commits of a branch that changed a file, with the diff to their first parent, newest first.
    Raises NotFound.
    """
    history = file_history(relationship, branch, path)
    commits: list[Commit] = []
    changes: list[tuple[str, Entry | None, Entry | None]] = []
    for commit in sorted(history.commits.values(), key=lambda row: row.recorded_at, reverse=True):
        old = history.entry_of(commit.parents[0] if commit.parents else None)
        if old != (new := history.entry_of(commit.id)) and len(commits) < most:
            commits.append(commit)
            changes.append((path, old, new))
    return list(zip(commits, _diffs(relationship.id, changes), strict=True))
