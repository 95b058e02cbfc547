"""The file tools of a model: the commands of Anthropic's memory tool (memory_20250818), and grep, find, recall, commit.

Results are text for a model, worded as in the anthropic SDK's own implementation, whose tests run against this one.
Paths begin with /memories, as in that tool, or are paths of the tree.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import islice
from typing import Any
from uuid import UUID

from relationships.models import Relationship
from web.actor import Actor
from web.errors import RapportError, StaleVersion
from workspace.errors import ToolRefused
from workspace.files import Contents, change_files, commit_on, list_files, read_file
from workspace.generated import generated_files
from workspace.memory_search import recall
from workspace.models import MAIN
from workspace.store import read_contents
from workspace.tool_definitions import check_arguments
from workspace.trees import Draft, Files, text_of

ROOT = "/memories"
MOST_LINES, WIDTH = 999_999, 6  # lines of a file that is shown; columns of a line number
LEVELS = 2  # folder levels that `view` shows
MOST_HITS, LONGEST_LINE = 200, 300
_SIZES = "BKMG"


@dataclass(frozen=True, slots=True)
class FileTools:
    """The tools on one branch. Each change is a commit by `by`."""

    relationship: Relationship
    branch: str
    by: Actor
    session_id: UUID | None = None

    def run(self, name: str, given: Mapping[str, Any]) -> str:
        """Run a tool and return its text for the model. Raises ToolRefused."""
        arguments = dict(given)
        if name == "memory":  # Anthropic's single tool with several commands
            name = str(arguments.pop("command", ""))
        check_arguments(name, arguments)
        try:
            said: str = getattr(self, f"_{name}")(**arguments)
        except ToolRefused:
            raise
        except StaleVersion:
            raise ToolRefused("The file changed in the meantime. View it again, then edit it.") from None
        except RapportError as error:
            raise ToolRefused(error.detail) from None
        return said

    def _view(self, path: str, view_range: list[int] | None = None) -> str:
        place, files = _place_of(path), self._files()
        if place in files:
            return _numbered(path, self._text(path, place)[0], view_range)
        if place and not _below(place, files):
            raise ToolRefused(f"The path {path} does not exist. Please provide a valid path.")
        return _listing(path, place, files)

    def _create(self, path: str, file_text: str) -> str:
        place = _place_of(path)
        if place in self._files():
            raise ToolRefused(f"File {path} already exists")
        self._change({place: file_text.encode()}, {place: ""})
        return f"File created successfully at: {path}"

    def _str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        place, content, seen = self._existing(path)
        first = content.find(old_str)
        if first < 0:
            raise ToolRefused(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
            )
        if content.count(old_str) > 1:
            *lines, last = map(str, islice(_lines_with(old_str, content), MOST_HITS + 1))
            found = ", ".join([*lines, last if len(lines) < MOST_HITS else "and more"])
            raise ToolRefused(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {found}. "
                "Please ensure it is unique"
            )
        changed = content.replace(old_str, new_str)
        self._change({place: changed.encode()}, seen)
        line = content.count("\n", 0, first)
        shown = changed.split("\n")
        around = range(max(0, line - 2), min(len(shown), line + 3))
        snippet = "\n".join(f"{number + 1:>{WIDTH}}\t{shown[number]}" for number in around)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            + snippet
        )

    def _insert(self, path: str, insert_line: int, insert_text: str) -> str:
        place, content, seen = self._existing(path)
        lines = content.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= insert_line <= len(lines):
            raise ToolRefused(
                f"Invalid `insert_line` parameter: {insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(int(insert_line), insert_text.rstrip("\n"))
        changed = "\n".join(lines)
        self._change({place: (changed if changed.endswith("\n") else f"{changed}\n").encode()}, seen)
        return f"The file {path} has been edited."

    def _delete(self, path: str) -> str:
        place, files = _place_of(path), self._files()
        if not place:
            raise ToolRefused(f"Cannot delete the {ROOT} directory itself")
        gone = _below(place, files)
        if not gone:
            raise ToolRefused(f"The path {path} does not exist")
        self._change(dict.fromkeys(gone), {name: files[name].sha256 for name in gone})
        return f"Successfully deleted {path}"

    def _rename(self, old_path: str, new_path: str) -> str:
        old, new, files = _place_of(old_path), _place_of(new_path), self._files()
        if not old:
            raise ToolRefused(f"Cannot rename the {ROOT} directory itself")
        if not new or _below(new, files):
            raise ToolRefused(f"The destination {new_path} already exists")
        moved = _below(old, files)
        if not moved:
            raise ToolRefused(f"The path {old_path} does not exist")
        contents, changes = self._contents(), dict[str, bytes | None].fromkeys(moved)
        changes |= {new + name[len(old) :]: contents[name] for name in moved if name in contents}
        self._change(changes, {name: files[name].sha256 if name in files else "" for name in changes})
        return f"Successfully renamed {old_path} to {new_path}"

    def _grep(self, pattern: str, path: str = ROOT) -> str:
        """Plain text, ignoring case: a regular expression from a model could run forever."""
        place, wanted = _place_of(path), pattern.casefold()
        hits = (
            f"{name}:{number}: {line.strip()[:LONGEST_LINE]}"
            for name, text in self._texts(place)
            for number, (line, plain) in enumerate(
                zip(text.split("\n"), text.casefold().split("\n"), strict=True), start=1
            )
            if wanted in plain
        )
        return _limited(hits, nothing=f"No line has {pattern!r}.")

    def _find(self, pattern: str) -> str:
        names = [
            name
            for name in self._files()
            if fnmatch(name, pattern) or fnmatch(posixpath.basename(name), pattern)
        ]
        return _limited(names, nothing=f"No file is called {pattern!r}.")

    def _recall(self, query: str, messages: bool = False) -> str:
        return recall(self.relationship, query, messages=messages)

    def _commit(self, reason: str) -> str:
        """Make a commit that changes nothing."""
        done = commit_on(
            self.relationship,
            self.branch,
            lambda head: (Draft(head.files), reason),
            by=self.by,
            session_id=self.session_id,
            always=True,
        )
        return f"Committed as {done.commit[:12]}."

    def _files(self) -> Files:
        return list_files(self.relationship, self.branch)[0]

    def _existing(self, path: str) -> tuple[str, str, dict[str, str]]:
        """The file's place in the tree, its text, and {place: SHA-256}."""
        place, files = _place_of(path), self._files()
        if place not in files:
            there = not place or _below(place, files)
            said = "is not a file." if there else "does not exist. Please provide a valid path."
            raise ToolRefused(f"The path {path} {said}")
        text, sha256 = self._text(path, place)
        return place, text, {place: sha256}

    def _text(self, path: str, place: str) -> tuple[str, str]:
        """The file's text and its SHA-256."""
        read = read_file(self.relationship, place, self.branch)
        text = text_of(read.content)
        if text is None:
            raise ToolRefused(f"The file {path} is no text.")
        return text, read.sha256

    def _contents(self) -> dict[str, bytes]:
        """The contents of all files, by path, read at once."""
        kept = read_contents(self.relationship.id, self.branch)
        return kept | generated_files(self.relationship) if self.branch == MAIN else kept

    def _texts(self, place: str) -> Iterator[tuple[str, str]]:
        contents = self._contents()
        for name in _below(place, self._files()):
            text = text_of(contents.get(name, b""))
            if text is not None:
                yield name, text

    def _change(self, changes: Contents, expected: Mapping[str, str]) -> None:
        change_files(
            relationship=self.relationship,
            changes=changes,
            expected=expected,
            by=self.by,
            branch=self.branch,
            session_id=self.session_id,
        )


def _place_of(path: str) -> str:
    """Translate a tool's path to a path in the tree; "" for its root. Raises ToolRefused."""
    if path == ROOT or path.startswith(f"{ROOT}/"):
        relative = path[len(ROOT) + 1 :]
    elif not path.startswith("/"):
        relative = path
    else:
        raise ToolRefused(f"Path must start with {ROOT}, got: {path}")
    place = posixpath.normpath(relative.lstrip("/") or ".")
    if place == ".." or place.startswith("../"):
        raise ToolRefused(f"Path {path} would escape {ROOT} directory")
    return "" if place == "." else place


def _lines_with(text: str, content: str) -> Iterator[int]:
    """The line of each place where the text begins, from 1."""
    line, before, start = 1, 0, content.find(text)
    while start >= 0:
        line += content.count("\n", before, start)
        yield line
        before, start = start, content.find(text, start + 1)


def _below(place: str, files: Files) -> list[str]:
    """The file at this place, or those of the folder; of the root, all."""
    return [name for name in files if not place or name == place or name.startswith(f"{place}/")]


def _numbered(path: str, content: str, view_range: list[int] | None) -> str:
    lines = content.split("\n")
    if len(lines) > MOST_LINES:
        raise ToolRefused(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
    first, last = 1, len(lines)
    if view_range and len(view_range) == 2:
        begin, end = map(int, view_range)  # JSON Schema counts 1.0 as an integer
        first, last = max(1, begin), last if end == -1 else max(0, end)
    shown = "\n".join(
        f"{number:>{WIDTH}}\t{line}" for number, line in enumerate(lines[first - 1 : last], start=first)
    )
    return f"Here's the content of {path} with line numbers:\n{shown}"


def _listing(path: str, place: str, files: Files) -> str:
    below = f"{place}/" if place else ""
    sizes: dict[str, int] = {}
    total = 0
    for name, entry in files.items():
        if not name.startswith(below):
            continue
        parts = name[len(below) :].split("/")
        if any(part.startswith(".") for part in parts[:LEVELS]):
            continue
        total += entry.size
        for depth in range(1, min(len(parts), LEVELS) + 1):
            item = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            sizes[item] = sizes.get(item, 0) + entry.size
    head = f"Here're the files and directories up to {LEVELS} levels deep in {path}, excluding hidden items:"
    items = [f"{_size(size)}\t{path.rstrip('/')}/{item}" for item, size in sorted(sizes.items())]
    return "\n".join([head, f"{_size(total)}\t{path}", *items])


def _size(size: int) -> str:
    unit = min(max(size.bit_length() - 1, 0) // 10, len(_SIZES) - 1)
    amount = size / 1024**unit
    return f"{amount:.0f}{_SIZES[unit]}" if amount == int(amount) else f"{amount:.1f}{_SIZES[unit]}"


def _limited(lines: Iterable[str], *, nothing: str) -> str:
    """The first lines, and how many more there are; they are counted without being held."""
    left = iter(lines)
    shown = list(islice(left, MOST_HITS))
    more = sum(1 for _ in left)
    return "\n".join([*shown, *([f"... and {more} more"] if more else [])]) or nothing
