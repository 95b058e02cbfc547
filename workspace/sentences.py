"""Splits a file's text into sentences, and removes some of them. Pure."""

import re
from collections.abc import Collection, Iterator

from memory.mending.judging import pieces

MARKS = "-*+>#| \t"  # marks of lists, headings and tables
EMPTIED = re.compile(r"[\W\d_]*")  # what is left of a line without its words


def sentences_of(text: str) -> Iterator[str]:
    return (sentence for line in text.splitlines() for sentence in map(_plain, pieces(line)) if sentence)


def without(text: str, gone: Collection[str]) -> str | None:
    """The text without these sentences, and without lines that held nothing else; None if it has none of them."""
    lines = text.splitlines(keepends=True)
    left = [line if (rest := _line_without(line, gone)) == line else rest for line in lines]
    return None if left == lines else "".join(left)


def _plain(piece: str) -> str:
    return " ".join(piece.split())


def _line_without(line: str, gone: Collection[str]) -> str:
    body = line.rstrip("\r\n")
    parts = list(pieces(body))
    kept = [part for part in parts if _plain(part) not in gone]
    if len(kept) == len(parts):
        return line
    rest = "".join(kept).rstrip()
    if _plain(parts[0]) in gone:  # keep the marks of a list item
        rest = body[: len(body) - len(body.lstrip(MARKS))] + rest.lstrip()
    return "" if EMPTIED.fullmatch(rest) else rest + line[len(body) :]
