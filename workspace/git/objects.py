"""Parses git's commits and trees, malformed ones included. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings

from workspace.errors import PushRefused

MOST_PARENTS = 16
_SHA = re.compile(r"[0-9a-f]{40}")


class Headers(NamedTuple):
    """A commit's tree and parents as SHA-1s, its author, and its message."""

    tree: str
    parents: tuple[str, ...]
    author: str
    message: str


def read_commit_headers(raw: bytes) -> Headers:
    """Raises PushRefused."""
    head, _, message = raw.decode("utf-8", "replace").partition("\n\n")
    lines = [line.partition(" ") for line in head.split("\n")]
    trees = [value for name, _, value in lines if name == "tree"]
    parents = tuple(value for name, _, value in lines if name == "parent")
    authors = [value for name, _, value in lines if name == "author"]
    shas = [*trees, *parents]
    if len(trees) != 1 or len(authors) != 1 or not all(_SHA.fullmatch(sha) for sha in shas):
        raise PushRefused("a commit can't be read")
    if len(parents) > MOST_PARENTS:
        raise PushRefused(f"a commit has more than {MOST_PARENTS} parents")
    author = authors[0].rsplit(">", 1)[0] + ">"
    return Headers(trees[0], parents, author.replace("\0", ""), message.replace("\0", "").strip())


def read_entries(raw: bytes) -> Iterator[tuple[int, str, str]]:
    """Yield the mode, name and SHA-1 of each item of a folder. Raises PushRefused."""
    at, count = 0, 0
    while at < len(raw):
        space, nul = raw.find(b" ", at), raw.find(b"\0", at)
        count += 1
        if count > settings.MAX_FILES:
            raise PushRefused(f"a folder has {count} entries and more; {settings.MAX_FILES} are kept")
        if not at < space < nul <= len(raw) - 21:
            raise PushRefused("a tree can't be read")
        try:
            mode, name = int(raw[at:space], 8), raw[space + 1 : nul].decode("utf-8")
        except ValueError:
            raise PushRefused("a tree has a name that is not UTF-8, or an invalid mode") from None
        yield mode, name, raw[nul + 1 : nul + 21].hex()
        at = nul + 21
