"""Read an uploaded archive piece by piece, so that its 64 MB never become a million objects at once.

Everything but the rows is parsed at once. Of rows only the place is kept; each is parsed when it is needed.
"""

import codecs
import json
import re
from array import array
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from django.conf import settings
from pydantic import BaseModel, ValidationError

from upkeep.archive.document import ROWS, Archive
from web.errors import MOST_PROBLEMS, FieldProblem, InvalidInput, TooMuch
from web.field_problems import field_problems
from web.parsing import parse_object
from web.problems import MalformedBody

FIRST_LOOK = 8192  # bytes; most rows are shorter
MOST_AT_ONCE = 33_554_432  # bytes of one row, or of everything but the rows
# Of the same, in strings, commas, and opening braces and brackets. A profile may consist of nothing else.
MOST_PARTS = 250_000 + settings.MAX_PROFILE_BYTES
MOST_MEMBERS = 1000  # of the document, besides lists of rows; an archive has six
SHORTEST_ROW = 16  # bytes; no valid row is shorter

_SPACE = re.compile(rb"[ \t\n\r]*")
_PART = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[,\[{]', re.DOTALL)  # a string may be cut off
_Utf8 = codecs.getincrementaldecoder("utf-8")
# Only finds where a value ends, so numbers of any length stay texts.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class ArchiveFile:
    """An archive whose rows are parsed one at a time. `head` is everything but the rows, validated.

    It takes the memory of the bytes, 16 more for each row, and one row. Raises MalformedBody, InvalidInput, TooMuch.
    """

    def __init__(self, raw: bytes, *, depth: int) -> None:
        head, self._places = _Scanner(raw, depth).archive()
        self._raw, self._depth = raw, depth
        self.head: Mapping[str, Any] = _checked(Archive, head, depth).model_dump()

    def check_rows(self, name: str, problems: list[FieldProblem]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Validate the rows of a list; yield the valid ones with their index, and add what is wrong to `problems`."""
        for place, piece in enumerate(self._pieces(name)):
            try:
                row = _checked(ROWS[name], piece, self._depth - 2)
            except (InvalidInput, TooMuch) as error:
                if not error.problems:
                    raise  # not JSON at all
                for line in error.problems:
                    below = "" if line.field == "body" else f".{line.field}"
                    problems.append(FieldProblem(f"{name}.{place}{below}", line.detail))
                if len(problems) >= MOST_PROBLEMS:
                    return
            else:
                yield place, row.model_dump()

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a list, in order, once all rows were checked. May be called repeatedly."""
        for piece in self._pieces(name):
            yield ROWS[name].model_validate_json(piece).model_dump()

    def row(self, name: str, place: int) -> dict[str, Any]:
        """One row that was checked."""
        start, end = self._places[name][2 * place : 2 * place + 2]
        return ROWS[name].model_validate_json(self._raw[start:end]).model_dump()

    def _pieces(self, name: str) -> Iterator[bytes]:
        places = self._places.get(name, array("q"))
        for index in range(0, len(places), 2):
            yield self._raw[places[index] : places[index + 1]]


def _checked(model: type[BaseModel], piece: bytes, depth: int) -> BaseModel:
    data = parse_object(piece, depth=depth)
    try:
        return model.model_validate_json(piece)
    except ValidationError as error:
        raise InvalidInput.naming(field_problems(error, data)) from None


class _Scanner:
    """Finds the members of the document and the rows of its lists, whatever they contain."""

    def __init__(self, raw: bytes, depth: int) -> None:
        self._raw, self._at, self._depth = raw, 0, depth
        self._where = "the body"

    def archive(self) -> tuple[bytes, dict[str, "array[int]"]]:
        """Return an object of all members but the lists of rows, and for each list where each row begins and ends."""
        names: set[str] = set()
        members: list[bytes] = []
        rows: dict[str, array[int]] = {}
        head_bytes = 0
        self._skip_space()
        if self._next() not in b"{":
            self._value()
            raise InvalidInput.of("body", "send a JSON object, in braces")
        for name_piece in self._items(b"{", b"}"):
            name = self._name(name_piece, names)
            self._take(b":")
            if name in ROWS and self._next() == b"[":
                rows[name] = self._rows(name)
                continue
            value = self._value()
            head_bytes += len(name_piece) + len(value)
            members.append(name_piece + b":" + value)
            if head_bytes > MOST_AT_ONCE:
                raise _too_large("What is no list of rows")
            if len(members) > MOST_MEMBERS:
                raise _too_many("What is no list of rows")
        head = b"{" + b",".join(members) + b"}"
        if _reach(head, 0, len(head)) < len(head):
            raise _too_many("What is no list of rows")
        if self._at != len(self._raw):
            raise self._malformed("Extra data")
        return head, rows

    def _rows(self, name: str) -> "array[int]":
        """Find a list's rows. Only a few may be too short for a row: 64 MB of those would be 32 million."""
        places, short = array("q"), 0
        for piece in self._items(b"[", b"]"):
            places.extend((self._at - len(piece), self._at))
            short += len(piece) < SHORTEST_ROW
            if short > MOST_PROBLEMS:
                raise InvalidInput.of(self._where, "is too short to be a row, as others before it are")
            self._where = f"{name}.{len(places) // 2}"
        return places

    def _items(self, opening: bytes, closing: bytes) -> Iterator[bytes]:
        """Yield the first value of each item of a list or an object. The caller must move `_at` past the item."""
        self._take(opening)
        if self._next() == closing:
            self._take(closing)
            return
        while True:
            yield self._value()
            self._skip_space()
            if self._next() == closing:
                self._take(closing)
                return
            self._take(b",")

    def _name(self, piece: bytes, names: set[str]) -> str:
        name = json.loads(piece)
        if not isinstance(name, str):
            raise self._malformed("Expecting property name enclosed in double quotes")
        if name in names:
            raise InvalidInput("A name stands twice.", problems=[FieldProblem(name[:80], "stands twice")])
        names.add(name)
        self._where = name[:80]
        self._skip_space()
        return name

    def _value(self) -> bytes:
        """Read the value that begins here. Doubles the size of what it looks at until the value ends."""
        start, size = self._at, FIRST_LOOK
        while True:
            reach = _reach(self._raw, start, size)
            whole = start + reach >= len(self._raw)
            try:  # a character that is cut in two by the end of a piece is left out
                text = _Utf8().decode(self._raw[start : start + reach], whole)
            except UnicodeDecodeError as error:
                raise MalformedBody(f"The body is not UTF-8 (at byte {start + error.start}).") from None
            try:
                _, end = _DECODER.raw_decode(text)
                if whole or end < len(text) or text[end - 1] in '"}]':
                    self._at = start + len(text[:end].encode())
                    return self._raw[start : self._at]
            except json.JSONDecodeError as error:
                if whole:
                    raise self._malformed(error.msg) from None
            except RecursionError:
                raise TooMuch(
                    f"The JSON is nested more than {self._depth} deep, in {self._where}.", limit=self._depth
                ) from None
            if reach < size:
                raise _too_many(self._where)
            if size >= MOST_AT_ONCE:
                raise _too_large(self._where)
            size *= 2

    def _take(self, byte: bytes) -> None:
        if self._next() != byte:
            raise self._malformed(f"Expecting {byte.decode()!r}")
        self._at += 1
        self._skip_space()

    def _next(self) -> bytes:
        return self._raw[self._at : self._at + 1]

    def _skip_space(self) -> None:
        found = _SPACE.match(self._raw, self._at)
        assert found is not None, "no space is a match, too"
        self._at = found.end()

    def _malformed(self, said: str) -> MalformedBody:
        return MalformedBody(f"The body is not JSON: {said}, at byte {self._at} (in {self._where}).")


def _reach(raw: bytes, start: int, size: int) -> int:
    """How many of these bytes contain at most MOST_PARTS. In honest archives it is all of them.

    A small list takes twenty times its bytes in memory, and no other thread runs while JSON is parsed.
    """
    if size <= MOST_PARTS:
        return size
    beyond = next(islice(_PART.finditer(raw, start, start + size), MOST_PARTS, None), None)
    return size if beyond is None else beyond.start() - start


def _too_many(what: str) -> TooMuch:
    return TooMuch(f"{what} has more than {MOST_PARTS} strings, values and braces.", limit=MOST_PARTS)


def _too_large(what: str) -> TooMuch:
    return TooMuch(f"{what} is longer than {MOST_AT_ONCE} bytes.", limit=MOST_AT_ONCE)
