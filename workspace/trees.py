"""Git's object format: computes the SHA-1s of blobs, trees and commits. Pure: nothing here reads the database."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

FILE, EXECUTABLE = 0o100644, 0o100755
FOLDER = b"40000"


class Entry(NamedTuple):
    """A file in a tree: SHA-256 and git's SHA-1 in hex, size in bytes, git's mode."""

    sha256: str
    git: str
    size: int
    mode: int = FILE


Files = dict[str, Entry]
Folders = dict[bytes, str]  # the SHA-1s of folders, by a digest of what is in them


@dataclass(slots=True)
class Draft:
    """Files to commit. `blobs`: the contents that may not be stored yet, by row ID."""

    files: Files
    blobs: dict[UUID, bytes] = field(default_factory=dict)

    def put(self, path: str, content: bytes, *, mode: int | None = None) -> Entry:
        """Write a file. Without a `mode` it keeps its own."""
        if mode is None:
            mode = self.files[path].mode if path in self.files else FILE
        entry = self.files[path] = entry_of(content, mode=mode)
        self.blobs[key_of(entry.sha256)] = content
        return entry


def key_of(sha: str) -> UUID:
    """The row ID of the object with this SHA."""
    return UUID(sha[:32])


def git_sha(kind: str, content: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()


def entry_of(content: bytes, *, mode: int = FILE) -> Entry:
    return Entry(hashlib.sha256(content).hexdigest(), git_sha("blob", content), len(content), mode)


def text_of(content: bytes) -> str | None:
    """The content as text; None if it is binary."""
    try:
        return None if b"\0" in content else content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def tree_sha(files: Mapping[str, Entry], known: Folders | None = None) -> str:
    """Git's SHA-1 of the root folder."""
    return list(tree_objects(files, known))[-1][0]


def tree_objects(files: Mapping[str, Entry], known: Folders | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield (SHA-1, raw object) of every folder, the root last; of those inside it only what is not `known`, as most
    folders are the same in many trees.
    """
    yield from _folder(files.items(), {} if known is None else known)


def commit_raw(tree: str, parents: tuple[str, ...], author: str, message: str, at: datetime) -> bytes:
    """`author`: a name, then an address in angle brackets."""
    line = f"{author} {int(at.timestamp())} +0000"
    lines = [f"tree {tree}", *(f"parent {sha}" for sha in parents), f"author {line}", f"committer {line}"]
    return "\n".join([*lines, "", message, ""]).encode()


def _folder(files: Iterable[tuple[str, Entry]], known: Folders) -> Iterator[tuple[str, bytes]]:
    rows: list[tuple[bytes, bytes]] = []
    folders: dict[str, list[tuple[str, Entry]]] = defaultdict(list)
    for path, entry in files:
        name, slash, rest = path.partition("/")
        if slash:
            folders[name].append((rest, entry))
        else:
            spelled = name.encode()
            rows.append((spelled, b"%o %s\0%s" % (entry.mode, spelled, bytes.fromhex(entry.git))))
    for name, inside in folders.items():
        held = "\0".join(f"{path}\0{entry.git}{entry.mode}" for path, entry in inside)
        key = hashlib.sha256(held.encode()).digest()
        if key not in known:
            sha = ""
            for sha, raw in _folder(inside, known):
                yield sha, raw
            known[key] = sha
        spelled = name.encode()
        rows.append((spelled + b"/", b"%s %s\0%s" % (FOLDER, spelled, bytes.fromhex(known[key]))))
    raw = b"".join(row for _, row in sorted(rows))
    yield git_sha("tree", raw), raw
