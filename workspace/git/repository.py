"""Presents a relationship's rows to dulwich as a read-only git repository."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.db.models import Case, TextField, When
from django.db.models.functions import Cast, Length
from django.db.models.lookups import LessThanOrEqual
from dulwich import server
from dulwich.object_store import BaseObjectStore
from dulwich.objects import ObjectID
from dulwich.refs import DictRefsContainer, Ref
from dulwich.repo import BaseRepo

from relationships.models import Relationship
from workspace.errors import PushRefused
from workspace.models import Branch, Commit, Tree
from workspace.store import read_blobs
from workspace.trees import Entry, Folders, key_of, tree_objects

HEADS = "refs/heads/"
MOST_PARENTS = 16
_COMMIT, _TREE, _BLOB = 1, 2, 3  # git's numbers for object types
AT_ONCE = 50_000_000  # bytes of blobs that are read in one statement
HELD = 2000  # bytes of a commit; longer ones are read when they are needed
AT_A_TIME = 20  # trees that are read at a time; each may list a thousand files
_SHA = re.compile(r"[0-9a-f]{40}")
_HEADER = re.compile("^(tree|parent|author)(?: (.*))?$", re.MULTILINE)


class Headers(NamedTuple):
    """A commit's tree and parents as SHA-1s, its author, and its message."""

    tree: str
    parents: tuple[str, ...]
    author: str
    message: str


def read_commit_headers(raw: bytes) -> Headers:
    """Raises PushRefused."""
    head, _, message = raw.decode("utf-8", "replace").partition("\n\n")
    lines = _HEADER.findall(head)
    trees = [value for name, value in lines if name == "tree"]
    parents = tuple(value for name, value in lines if name == "parent")
    authors = [value for name, value in lines if name == "author"]
    shas = [*trees, *parents]
    if len(trees) != 1 or len(authors) != 1 or not all(_SHA.fullmatch(sha) for sha in shas):
        raise PushRefused("a commit can't be read")
    if len(parents) > MOST_PARENTS:
        raise PushRefused(f"a commit has more than {MOST_PARENTS} parents")
    author = authors[0].rsplit(">", 1)[0] + ">"
    return Headers(trees[0], parents, author.replace("\0", ""), message.replace("\0", "").strip())


def ancestors(tips: Iterable[str], parents: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """Yield these commits and all their ancestors, each once."""
    waiting, seen = list(tips), set[str]()
    while waiting:
        sha = waiting.pop()
        if sha not in seen:
            seen.add(sha)
            yield sha
            waiting += parents(sha)


class RowObjects(BaseObjectStore):
    """An object store over the rows. Loads short commits and trees at once, and blobs when the first is needed."""

    def __init__(self, relationship_id: UUID) -> None:
        super().__init__()
        self.relationship_id = relationship_id
        short = Case(When(LessThanOrEqual(Length("raw"), HELD), then="raw"))
        rows = Commit.objects.for_relationship(relationship_id).values_list("sha", "parents", short)
        commits = list(rows)
        sha_of = {key_of(sha): sha for sha, _, _ in commits}
        self.commits: dict[str, bytes | None] = {sha: raw and bytes(raw) for sha, _, raw in commits}
        self.parents = {sha: [sha_of[one] for one in parents if one in sha_of] for sha, parents, _ in commits}
        self.trees: dict[str, bytes] = {}
        self.blobs: dict[str, Entry] = {}
        self._contents: dict[str, bytes] = {}
        trees = Tree.objects.for_relationship(relationship_id).values_list(
            Cast("files", TextField()), flat=True
        )
        folders: Folders = {}
        for text in trees.iterator(AT_A_TIME):
            files = {path: Entry(*entry) for path, entry in orjson.loads(text).items()}
            self.trees.update(tree_objects(files, folders))
            self.blobs.update((entry.git, entry) for entry in files.values())
        self._few = sum(entry.size for entry in self.blobs.values()) <= AT_ONCE

    def raw(self, sha: str) -> tuple[int, bytes] | None:
        """The type and content of an object; None if it is not there."""
        if sha in self.commits:
            return _COMMIT, self.commit(sha)
        if sha in self.trees:
            return _TREE, self.trees[sha]
        return (_BLOB, self._content(sha)) if sha in self.blobs else None

    def commit(self, sha: str) -> bytes:
        """A stored commit. Raises PushRefused if it was erased meanwhile."""
        held = self.commits[sha]
        if held is None:
            row = Commit.objects.for_relationship(self.relationship_id).filter(id=key_of(sha)).first()
            if row is None:
                raise PushRefused(f"The commit {sha[:12]} does not exist.")
            held = bytes(row.raw)
        return held

    def get_raw(self, name: Any) -> tuple[int, bytes]:
        found = self.raw(_hex(name))
        if found is None:
            raise KeyError(name)
        return found

    def contains_loose(self, sha: Any) -> bool:
        name = _hex(sha)
        return name in self.commits or name in self.trees or name in self.blobs

    def _content(self, sha: str) -> bytes:
        if not self._few:
            return read_blobs(self.relationship_id, [self.blobs[sha]])[self.blobs[sha].sha256]
        if not self._contents:
            read = read_blobs(self.relationship_id, self.blobs.values())
            self._contents = {entry.git: read[entry.sha256] for entry in self.blobs.values()}
        return self._contents[sha]


def _hex(sha: Any) -> str:
    """A SHA-1 in hex, which dulwich also passes as 20 bytes."""
    return str(sha.hex() if len(sha) == 20 else sha.decode())


class FetchedRepository(BaseRepo):
    """A repository for fetches. Lets a client ask for any ancestor, as a branch may move on after it was advertised."""

    def __init__(self, relationship: Relationship) -> None:
        self.heads, self.rows = heads_of(relationship), RowObjects(relationship.id)
        super().__init__(self.rows, DictRefsContainer({}))  # type: ignore[arg-type]  # fetches write nothing

    def get_refs(self) -> dict[Ref, ObjectID]:
        # A branch's commit may have been erased since the branches were read.
        heads = filter(self.rows.commits.__contains__, self.heads.values())
        reached = ancestors(heads, self.rows.parents.__getitem__)
        return {Ref(f"reached/{sha}".encode()): ObjectID(sha.encode()) for sha in reached}


def _are_all_later(store: RowObjects, haves: Set[ObjectID], wants: Set[ObjectID]) -> bool:
    """Return whether each of `wants` is one of `haves` or has one among its ancestors."""
    children: dict[str, list[str]] = defaultdict(list)
    for sha, parents in store.parents.items():
        for parent in parents:
            children[parent].append(sha)
    later = set(ancestors(map(_hex, haves), lambda sha: children[sha]))
    return all(_hex(sha) in later for sha in wants)


def _cut_at(store: RowObjects, heads: Iterable[ObjectID], depth: int) -> tuple[set[ObjectID], set[ObjectID]]:
    """The commits that a clone of this depth has without their parents, and those nearer to the heads."""
    level, nearer = set(heads), set[ObjectID]()
    while level and depth > 1:
        nearer |= level
        parents = {parent for sha in level for parent in store.parents[_hex(sha)]}
        level, depth = {ObjectID(sha.encode()) for sha in parents} - nearer, depth - 1
    return level, nearer


# dulwich's own take the square of the number of commits.
server._all_wants_satisfied, server.find_shallow = _are_all_later, _cut_at  # type: ignore[assignment, attr-defined]


def heads_of(relationship: Relationship) -> dict[str, str]:
    """The SHA-1 of each branch's commit, by name."""
    rows = Branch.objects.for_relationship(relationship.id).values_list("name", "commit_id")
    branches = dict(rows)
    commits = Commit.objects.for_relationship(relationship.id).filter(id__in=branches.values())
    shas = dict(commits.values_list("id", "sha"))
    return {name: shas[commit] for name, commit in branches.items()}
