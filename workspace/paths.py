"""Checks paths: none may lead out of a checkout, and no two may be the same file on some system."""

import unicodedata
from collections.abc import Iterable

from workspace.errors import BadPath

LONGEST, LONGEST_NAME = 1024, 255  # bytes
DEEPEST = 60  # folders
# They change the order in which the rest of a line is shown, so that a name looks like another.
_REORDERS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# git's own folder, and its Windows short name.
_GIT = {".git", "git~1"}


def check_path(path: str) -> None:
    """Raises BadPath, which says what is wrong."""
    if said := path_fault(path):
        raise BadPath.of("path", said)


def path_fault(path: str) -> str:
    """Return what is wrong with a path, as a sentence without its subject; "" if it is fine."""
    try:
        size = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        return "holds half a character"
    if not 1 <= size <= LONGEST:
        return f"must be 1 to {LONGEST} bytes long"
    if any(unicodedata.category(letter) == "Cc" for letter in path):
        return "holds a control character"
    if not _REORDERS.isdisjoint(path):
        return "holds an invisible character that changes the order in which it is shown"
    if "\ufffd" in path:
        return "holds U+FFFD, which stands for what could not be read"
    if "\\" in path:
        return "has a backslash: write folders with /"
    if unicodedata.normalize("NFC", path) != path:
        return "is not in Unicode's form NFC: write it in that"
    if path.count("/") > DEEPEST:
        return f"is more than {DEEPEST} folders deep"
    for name in path.split("/"):
        if name in ("", ".", ".."):
            return "must be relative, and without empty parts, . and .."
        if len(name.encode("utf-8")) > LONGEST_NAME:
            return f"has a part longer than {LONGEST_NAME} bytes"
        if _bare(name) in _GIT:
            return "names git's own folder"
    return ""


def twin_fault(paths: Iterable[str]) -> str:
    """Return why these paths can't be in one tree: two differ only by case, Unicode form or invisible characters, or a
    file is also a folder. "" if they can.
    """
    names = Names()
    return next(filter(None, map(names.add, paths)), "")


class Names:
    """The paths of one tree, added one by one."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, bool]] = {}  # by folded path: the path, and whether it is a file

    def add(self, path: str) -> str:
        """Add a path and return "". If it clashes with earlier ones, don't add it and return why."""
        new: dict[str, tuple[str, bool]] = {}
        whole, is_file = path, True
        while whole:
            plain = folded(whole)
            other, other_is_file = self._taken.get(plain, (whole, is_file))
            if other != whole:
                return f"{whole[:200]} and {other[:200]} differ only by case, Unicode form or invisible characters"
            if is_file != other_is_file:
                return f"{whole[:200]} would be a file and a folder"
            if plain in self._taken:
                break  # so are its parents
            new[plain] = (whole, is_file)
            whole, is_file = whole.rpartition("/")[0], False
        self._taken |= new
        return ""


def folded(path: str) -> str:
    """A form that is equal for paths which some system treats as the same, or which look the same."""
    return _visible(unicodedata.normalize("NFKC", path)).casefold()


def _bare(name: str) -> str:
    """The name without what file systems ignore: invisible characters, dots and spaces at the end, and what NTFS calls
    a stream of the file, after a colon.
    """
    return _visible(name).partition(":")[0].rstrip(". ").casefold()


def _visible(text: str) -> str:
    if text.isascii():
        return text
    return "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
