"""The parser interface and its limits. Imports nothing of the service, because the bytes are not trusted."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


class Unreadable(Exception):
    """Why a document can't be read. `code`, a key of knowledge.errors.REASONS, is stored on it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Limits:
    pages: int
    characters: int


@dataclass(frozen=True, slots=True)
class Block:
    """About a paragraph; "" for a page of pictures without text. `page`: from 1; None for formats without pages.
    `heading`: the headings above it.
    """

    text: str
    page: int | None = None
    heading: str = ""


Parser = Callable[[bytes, Limits], Iterable[Block]]

LONGEST_HEADING = 300
# Ligatures, Arabic presentation forms and radicals, which fonts use in place of letters.
_SHAPES = re.compile(r"[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc\u2e80-\u2fd5]+")
_UNWANTED = re.compile(r"[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\ufeff\ufffe\uffff]")
_SURROGATES = re.compile(r"[\x00\ud800-\udfff]")
_LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028]|\v")
_PARAGRAPHS = re.compile(r"\n[ \t\u00a0]*\n\s*|\f|\u2029")


def clean(text: str) -> str:
    """Make text storable: NULs and lone surrogates become U+FFFD, line ends become line feeds."""
    text = _UNWANTED.sub("", _SURROGATES.sub("\ufffd", _LINE_ENDS.sub("\n", text)))
    return _SHAPES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def paragraphs(text: str, *, page: int | None = None, heading: str = "") -> Iterator[Block]:
    """Split clean text into blocks, at empty lines and form feeds."""
    for part in _PARAGRAPHS.split(text):
        stripped = "\n".join(line.rstrip() for line in part.strip("\n").split("\n")).strip()
        if stripped:
            yield Block(stripped, page, heading)


class Headings:
    """The path of headings at a place. A heading closes those of the same and deeper levels."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        self._open = [(above, name) for above, name in self._open if above < level]
        if title := " ".join(clean(title).split()):
            self._open.append((level, title))

    @property
    def path(self) -> str:
        return " > ".join(title for _, title in self._open)[:LONGEST_HEADING]
