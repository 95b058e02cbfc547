"""Receives a push: checks its commits one by one, then writes them and the branches, all or none."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from graphlib import TopologicalSorter
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from dulwich.errors import ObjectFormatException
from dulwich.objects import parse_tree

from relationships.models import Relationship
from relationships.services.rows import require_lock
from web.actor import Actor
from web.errors import RapportError
from workspace.errors import PushRefused
from workspace.files import check_limits, counts
from workspace.generated import made_elsewhere, supplied_specs, way_fault
from workspace.git.repository import HEADS, Headers, RowObjects, ancestors, read_commit_headers
from workspace.git.unpack import KINDS, LARGEST_OBJECT, unpack
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.hot_context import show_hot_context
from workspace.identity import RAPPORT, author_of
from workspace.models import MAIN, AgentSession, Commit
from workspace.paths import DEEPEST, path_fault
from workspace.store import Head, NewCommit, keep_commits, move_branch, read_commit, read_head
from workspace.trees import EXECUTABLE, FILE, Entry, Files, Folders, entry_of, key_of, tree_sha

ZERO = "0" * 40
MOST_COMMITS, LARGEST_COMMIT = 2000, 65_536  # bytes
OWN = 2  # files that any branch may have besides: hot context, and a session's notes
TOGETHER = 3  # times the largest workspace, as a push may bring several versions
SHA_BYTES = 20
LISTED = 120  # bytes that a file or a folder takes in a tree's list, besides its path
_MODES = {0o120000: "a symbolic link", 0o160000: "a submodule"}


class RefUpdate(NamedTuple):
    old: str
    new: str
    ref: str

    @property
    def branch(self) -> str:
        return self.ref.removeprefix(HEADS)


@dataclass(slots=True)
class _Objects:
    """The stored objects and the pushed ones. `entries`: pushed files by SHA-1; `trees`: the files of pushed trees
    that were read; `listed`: the size of their lists in bytes; `paths`: paths that passed the checks; `commits`:
    pushed commits that were read.
    """

    rows: RowObjects
    pushed: Mapping[str, tuple[int, bytes]]
    entries: dict[str, Entry] = field(default_factory=dict)
    trees: dict[str, Files] = field(default_factory=dict)
    listed: int = 0
    paths: set[str] = field(default_factory=set)
    folders: Folders = field(default_factory=dict)
    commits: dict[str, Headers] = field(default_factory=dict)

    def get(self, sha: str, kind: str) -> bytes:
        found = self.pushed.get(sha) or self.rows.raw(sha)
        if found is None or KINDS[found[0]] != kind:
            raise PushRefused(f"The {kind} {sha[:12]} does not exist.")
        return found[1]

    def entry(self, sha: str, mode: int) -> Entry:
        """The file with this content. However many trees have it, it is hashed once."""
        known = self.rows.blobs.get(sha) or self.entries.get(sha)
        if known is None:
            known = self.entries[sha] = entry_of(self.get(sha, "blob"))
        return known._replace(mode=mode)

    def headers(self, sha: str) -> Headers:
        if sha not in self.commits:
            self.commits[sha] = read_commit_headers(self.get(sha, "commit"))
        return self.commits[sha]

    def parents(self, sha: str) -> Sequence[str]:
        return self.rows.parents.get(sha) or self.headers(sha).parents


def receive_push(
    *, relationship: Relationship, updates: list[RefUpdate], pack: bytes, by: Actor
) -> dict[str, str]:
    """Apply a push. Returns by ref why the push was refused; "" for every ref if it was accepted."""
    try:
        checked, known = _check(relationship, updates, pack)  # without a lock, as it may take long
        with transaction.atomic():
            require_lock(relationship.id)
            there = Commit.objects.for_relationship(relationship.id).values_list("sha", flat=True)
            if known != set(there):  # somebody has written or erased meanwhile
                checked, _ = _check(relationship, updates, pack)
            new = {commit.commit: commit for commits in reversed(checked) for commit in commits}
            keep_commits(relationship, list(new.values()))
            for update in updates:
                _write(relationship, update, by)
    except RapportError as error:
        said = " ".join(error.detail.split())[:300]
        return {update.ref: said for update in updates}
    return {update.ref: "" for update in updates}


def _check(
    relationship: Relationship, updates: list[RefUpdate], pack: bytes
) -> tuple[list[list[NewCommit]], Set[str]]:
    """The new commits of each update, and the stored SHA-1s. Raises PushRefused, WorkspaceFull, Conflict."""
    rows = RowObjects(relationship.id)
    largest = max(settings.MAX_FILE_BYTES, LARGEST_OBJECT)
    together = TOGETHER * settings.MAX_WORKSPACE_BYTES
    limits = {"largest": largest, "together": together, "largest_file": settings.MAX_FILE_BYTES}
    pushed = unpack(pack, rows.raw, **limits) if pack else {}
    objects = _Objects(rows, pushed)
    return [_check_update(relationship, update, objects) for update in updates], rows.commits.keys()


def _head_of(relationship: Relationship, update: RefUpdate) -> Head:
    """The branch's head, which must be the one that the push expects. Raises PushRefused."""
    head = read_head(relationship.id, update.branch) if update.ref.startswith(HEADS) else None
    if head is None:
        raise PushRefused("only main and the branches of sessions can be pushed to")
    if update.new == ZERO:
        raise PushRefused("a push can't delete a branch")
    if head.commit != update.old:
        raise PushRefused("somebody pushed meanwhile: fetch first")
    return head


def _check_update(relationship: Relationship, update: RefUpdate, objects: _Objects) -> list[NewCommit]:
    branch, head = update.branch, _head_of(relationship, update)
    new = _new_commits(objects, update.new)
    known = dict(_parents_files(relationship, objects, new))
    supplied = supplied_specs(relationship.companion_id).keys()
    # The files count, too, as a push may say that Rapport is its author.
    only_made = all(made_elsewhere(path, branch, supplied) for path in head.files)
    moves_in = branch == MAIN and only_made and _is_new(relationship)
    at = head.next_moment()
    made = {sha: _generated(files, branch, supplied) for sha, files in known.items()}
    made_in: dict[str, Files] = {}  # by tree
    commits: list[NewCommit] = []
    for place, sha in enumerate(new):
        commit = _parse(objects, sha, known, at + timedelta(microseconds=place))
        if commit.tree not in made_in:
            made_in[commit.tree] = _generated(commit.files, branch, supplied)
        known[sha], made[sha] = commit.files, made_in[commit.tree]
        if not moves_in:
            _refuse_generated(made[sha], [made[parent] for parent in commit.parents], branch, supplied)
        commits.append(commit)
    if not moves_in and head.commit not in ancestors([update.new], objects.parents):
        raise PushRefused("history can't be rewritten: merge or rebase onto the existing commits")
    return commits


def _write(relationship: Relationship, update: RefUpdate, by: Actor) -> None:
    """Move the branch to a commit that is stored. Under the relationship's row lock."""
    branch, head = update.branch, _head_of(relationship, update)
    at = head.next_moment()
    tip = read_commit(relationship.id, key_of(update.new))
    assert tip is not None, "it was stored before, or just now"
    move_branch(relationship, branch, tip, at=at)
    if branch == MAIN and tip.files.get(HOT_CONTEXT) != head.files.get(HOT_CONTEXT):
        show_hot_context(relationship, tip, by=by)
    AgentSession.objects.for_relationship(relationship.id).filter(branch=branch).update(seen_at=at)


def _new_commits(objects: _Objects, tip: str) -> list[str]:
    """The pushed commits that are not stored yet, parents before children."""

    def new_ones(shas: Iterable[str]) -> list[str]:
        return [sha for sha in shas if sha not in objects.rows.commits]

    graph: dict[str, list[str]] = {}
    for sha in ancestors(new_ones([tip]), lambda sha: graph[sha]):
        if len(graph) == MOST_COMMITS:
            raise PushRefused(f"more than {MOST_COMMITS} commits at once")
        graph[sha] = new_ones(objects.parents(sha))
    return list(TopologicalSorter(graph).static_order())


def _parents_files(
    relationship: Relationship, objects: _Objects, new: list[str]
) -> Iterator[tuple[str, Files]]:
    for parent in {parent for sha in new for parent in objects.parents(sha)} - set(new):
        head = read_commit(relationship.id, key_of(parent))
        if head is None:
            raise PushRefused(f"the commit {parent[:12]} does not exist")
        yield parent, head.files


def _parse(objects: _Objects, sha: str, known: Mapping[str, Files], at: datetime) -> NewCommit:
    headers, raw = objects.headers(sha), objects.get(sha, "commit")
    if len(raw) > LARGEST_COMMIT:
        raise PushRefused(f"the commit {sha[:12]} has {len(raw)} bytes; at most {LARGEST_COMMIT} are kept")
    parents = [known[parent] for parent in headers.parents]
    files, blobs = objects.trees.get(headers.tree), dict[UUID, bytes]()
    if files is None:
        files = objects.trees[headers.tree] = _read_tree(objects, headers.tree, parents)
        if tree_sha(files, objects.folders) != headers.tree:
            raise PushRefused(f"the tree of {sha[:12]} is not written as git writes it")
        new = {entry.sha256: entry.git for entry in files.values() if entry.git not in objects.rows.blobs}
        blobs = {key_of(sha256): objects.get(git, "blob") for sha256, git in new.items()}
    return NewCommit(
        sha,
        headers.tree,
        files,
        at,
        headers.parents,
        raw,
        headers.author,
        headers.message,
        blobs,
    )


def _read_tree(objects: _Objects, tree: str, parents: list[Files]) -> Files:
    """Read and check a tree. Not only the tip's: every commit can be read later. Raises PushRefused, WorkspaceFull."""
    files: Files = {}
    uncounted = max((sum(not counts(path) for path in parent) for parent in parents), default=0)
    most = settings.MAX_FILES + uncounted + OWN
    for count, (path, entry) in enumerate(_walk(objects, tree, "", most, 0), start=1):
        if count > most:  # before a tree of repeated folders fills the memory
            raise PushRefused(f"there are {count} files and more; {settings.MAX_FILES} are kept")
        files[path] = entry
    check_limits(files, added=not any(files.keys() <= parent.keys() for parent in parents))
    objects.listed += sum(len(path) + LISTED for path in files)
    if objects.listed > TOGETHER * settings.MAX_WORKSPACE_BYTES:
        raise PushRefused("its commits list too many files for one push: push them in several parts")
    return files


def _walk(objects: _Objects, tree: str, below: str, most: int, depth: int) -> Iterator[tuple[str, Entry]]:
    if depth > DEEPEST:
        raise PushRefused(f"folders are more than {DEEPEST} deep")
    objects.listed += LISTED
    raw = objects.get(tree, "tree")
    if depth and not raw:
        raise PushRefused(f"the folder {below[:200]} is empty, as git never writes one")
    for mode, name, sha in _entries(raw, most):
        path = f"{below}{name}"
        if mode == 0o040000:
            yield from _walk(objects, sha, f"{path}/", most, depth + 1)
            continue
        if mode not in (FILE, EXECUTABLE):
            raise PushRefused(f"{path[:200]} is {_MODES.get(mode, 'of a mode that is not taken')}")
        if path not in objects.paths and (said := path_fault(path) or way_fault(path)):
            raise PushRefused(f"the path {path[:200]!r} {said}")
        objects.paths.add(path)
        yield path, objects.entry(sha, mode)


def _entries(raw: bytes, most: int) -> list[tuple[int, str, str]]:
    """The mode, name and SHA-1 of each item of a folder. Raises PushRefused."""
    try:
        entries = [(mode, name.decode(), sha.decode()) for name, mode, sha in parse_tree(raw, SHA_BYTES)]
    except UnicodeDecodeError:
        raise PushRefused("a tree has a name that is not UTF-8") from None
    except (ObjectFormatException, ValueError):
        raise PushRefused("a tree can't be read") from None
    if len(entries) > most:
        raise PushRefused(f"a folder has {len(entries)} entries; {settings.MAX_FILES} are kept")
    return entries


def _is_new(relationship: Relationship) -> bool:
    """Return whether nobody has written anything yet, so that a workspace can move in with its own history."""
    return not Commit.objects.for_relationship(relationship.id).exclude(author=author_of(RAPPORT)).exists()


def _generated(files: Files, branch: str, supplied: Collection[str]) -> Files:
    return {path: entry for path, entry in files.items() if made_elsewhere(path, branch, supplied)}


def _refuse_generated(made: Files, parents: Sequence[Files], branch: str, supplied: Collection[str]) -> None:
    """`made`: a commit's generated files; `parents`: those of its parents. Raises PushRefused."""
    for path in made.keys() | {path for parent in parents for path in parent}:
        if all(made.get(path) != parent.get(path) for parent in parents):
            source = made_elsewhere(path, branch, supplied)
            raise PushRefused(f"{path} is generated from {source}: change that, and leave the file as it is")
