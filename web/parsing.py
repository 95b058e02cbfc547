"""Parse a JSON body strictly: what can't be stored, or is ambiguous, is refused with the name of its field.

The body is parsed once. NUL characters and lone surrogates can only come as escapes, so a search in the raw bytes
decides whether the strings must be checked at all. Counting brackets does the same for the depth.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request

from web.errors import MOST_PROBLEMS, FieldProblem, InvalidInput, RapportError, TooMuch, shorten
from web.problems import LengthRequired, MalformedBody, WrongMediaType

N = TypeVar("N")
# The place of the enclosing value, and the name or index in it; None: the body.
_Place: TypeAlias = "tuple[_Place, str | int] | None"

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"

_SUSPECT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_ESCAPE = re.compile(r"\\(u0000|.)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Beyond this, JSON parsers, and our own database's answers, disagree about the number.
_LARGEST = 2**63
_NESTING = {dict, list}  # parsed JSON has no subclasses, and isinstance takes longer
LONGEST_NAME = 60  # characters of a name in a path


def read_object(request: Request, *, limit: int, depth: int | None = None) -> tuple[bytes, dict[str, Any]]:
    """The body as bytes and as an object, nested at most `depth` (MAX_JSON_DEPTH) deep.

    Raises MalformedBody, InvalidInput, TooMuch, WrongMediaType, LengthRequired.
    """
    raw = read_json(request, limit=limit)
    return raw, parse_object(raw, depth=depth)


def read_json(request: Request, *, limit: int) -> bytes:
    """The unparsed body of a JSON request. Raises what read_object raises before parsing."""
    raw = read_bytes(request, limit=limit)
    if not raw or raw.isspace():
        raise MalformedBody("The body is empty: send a JSON object.")
    _check_media_type(request)
    return raw


def read_bytes(request: HttpRequest | Request, *, limit: int) -> bytes:
    """The body, if its Content-Length is within `limit` bytes."""
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if not length and request.META.get("HTTP_TRANSFER_ENCODING"):
        raise LengthRequired("Send a Content-Length: a body of unknown length is not read.")
    if length.isascii() and length.isdigit() and int(length) > limit:
        raise TooMuch(f"The body has more than {limit} bytes.", limit=limit)
    django_request = request._request if isinstance(request, Request) else request
    return bytes(django_request.body)


def parse_object(raw: bytes, *, depth: int | None = None) -> dict[str, Any]:
    """Parse a JSON object. Raises MalformedBody if it is not JSON; InvalidInput, TooMuch if it can't be stored."""
    deepest: int = settings.MAX_JSON_DEPTH if depth is None else depth
    duplicates: list[tuple[dict[str, Any], str]] = []

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) != len(pairs) and len(duplicates) < MOST_PROBLEMS:
            counts = Counter(name for name, _ in pairs)
            duplicates.extend((built, name) for name, count in counts.items() if count > 1)
        return built

    large: list[str] = []
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=build,
            parse_constant=_no_constant,
            parse_int=lambda text: int(text) if len(text) < 19 else _noted(_whole(text), large),
            parse_float=lambda text: _noted(_decimal(text), large),
        )
    except UnicodeDecodeError as error:
        raise MalformedBody(f"The body is not UTF-8 (at byte {error.start}).") from None
    except json.JSONDecodeError as error:
        raise MalformedBody(
            f"The body is not JSON: {error.msg}, line {error.lineno} column {error.colno}."
        ) from None
    except RecursionError:
        raise _too_deep(deepest) from None
    if not isinstance(value, dict):
        raise InvalidInput.of("body", "send a JSON object, in braces")
    if raw.count(b"{") + raw.count(b"[") > deepest:
        check_depth(value, deepest)
    if large:
        _check_numbers(value)
    if duplicates:
        raise InvalidInput("A name occurs twice in one object.", problems=_repeated(value, duplicates))
    if _SUSPECT_ESCAPE.search(raw):
        _check_strings(value)
    return value


def parse_text(text: str, *, field: str = "") -> dict[str, Any]:
    """Parse the JSON object that a field contains, as strictly as a body. Raises InvalidInput, with paths below it.

    Without `field` the paths are those within the object.
    """
    try:
        return parse_object(text.encode("utf-8", "surrogatepass"))
    except RapportError as error:
        problems = error.problems or [FieldProblem("body", error.detail.removeprefix("The body "))]
        paths = ["" if line.field == "body" else line.field for line in problems]
        named = [".".join(filter(None, (field, path))) or "This text" for path in paths]
        lines = zip(named, problems, strict=True)
        raise InvalidInput.naming([FieldProblem(name, line.detail) for name, line in lines]) from None


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a file, for json.loads. Raises ValueError for a name that stands twice: one value would be lost."""
    built = dict(pairs)
    if len(built) != len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{_shown(name)} stands twice in one object")
    return built


def _check_media_type(request: Request) -> None:
    given, _, parameters = request.META.get("CONTENT_TYPE", "").partition(";")
    allowed = {JSON, MERGE_PATCH} if request.method == "PATCH" else {JSON}
    if given.strip().lower() not in allowed:
        raise WrongMediaType(f"Send Content-Type: {JSON}, not {given.strip()[:80] or 'none'}.")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if charset not in ("", "utf-8", "utf8"):
        raise WrongMediaType("Send the body in UTF-8.")
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() != "identity":
        raise WrongMediaType("Send the body without a Content-Encoding: none is supported here.")


class _TooLarge(str):
    """Stands for a number that can't be stored, as its path is known only after parsing."""


def _no_constant(name: str) -> Any:
    raise MalformedBody(f"The body is not JSON: {name} is not a JSON number.")


def _whole(text: str) -> int | _TooLarge:
    if len(text) > 20 or not -_LARGEST <= int(text) < _LARGEST:
        return _TooLarge(text)
    return int(text)


def _decimal(text: str) -> float | _TooLarge:
    value = float(text)
    return value if -_LARGEST < value < _LARGEST else _TooLarge(text)


def _noted(number: N, large: list[str]) -> N:
    if isinstance(number, _TooLarge):
        large.append(number)
    return number


def _check_numbers(value: Any) -> None:
    _refuse(
        FieldProblem(_path(place), f"the number {text[:24]} is too large: send it as a string")
        for place, text in _values(value)
        if isinstance(text, _TooLarge)
    )


def check_depth(value: Any, limit: int) -> None:
    """Raises TooMuch for an object or list that is nested more than `limit` deep."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > limit:
            raise _too_deep(limit)
        level = [
            child
            for parent in level
            if parent
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if type(child) in _NESTING
        ]


def storable_json(value: dict[str, Any]) -> dict[str, Any]:
    """Make what a model wrote storable: NUL becomes U+FFFD, a lone surrogate a question mark, and NaN or a number that
    is too large a text. Raises TooMuch if it is nested more than MAX_JSON_DEPTH deep.
    """
    check_depth(value, settings.MAX_JSON_DEPTH)
    text = _ESCAPE.sub(lambda found: "\\ufffd" if found[1] == "u0000" else found[0], json.dumps(value))
    read = json.loads(text, parse_constant=str, parse_int=_whole, parse_float=_decimal)
    kept: dict[str, Any] = json.loads(json.dumps(read, ensure_ascii=False).encode("utf-8", "replace"))
    return kept


def _too_deep(limit: int) -> TooMuch:
    problem = FieldProblem("body", f"is nested more than {limit} deep")
    return TooMuch(f"The JSON is nested more than {limit} deep.", problems=[problem], limit=limit)


def _check_strings(value: Any) -> None:
    _refuse(
        FieldProblem(_path(place), f"holds {what}, which can't be kept; leave it out")
        for place, text in _texts(value)
        if (what := _unkeepable(text))
    )


def _unkeepable(text: str) -> str:
    if "\x00" in text:
        return "a NUL character"
    return "half of a surrogate pair" if _SURROGATE.search(text) else ""


def _refuse(found: Iterable[FieldProblem]) -> None:
    problems = list(islice(found, MOST_PROBLEMS))
    if problems:
        raise InvalidInput.naming(problems)


def _repeated(value: Any, duplicates: list[tuple[dict[str, Any], str]]) -> list[FieldProblem]:
    """Problems with the paths of duplicate names; their objects are found by identity."""
    shown = duplicates[:MOST_PROBLEMS]
    owners = {id(owner) for owner, _ in shown}
    places = {id(found): place for place, found in _values(value) if id(found) in owners}
    return [FieldProblem(_path((places.get(id(owner)), name)), "stands twice") for owner, name in shown]


def _texts(value: Any) -> Iterator[tuple[_Place, str]]:
    """Every string, including names of members, with its place."""
    for place, found in _values(value):
        if isinstance(found, str):
            yield place, found
        elif isinstance(found, dict):
            yield from (((place, name), name) for name in found)


def _values(value: Any) -> Iterator[tuple[_Place, Any]]:
    """The value and every value inside it, with their places, in the order of the text.

    A place links to the enclosing one. Paths are made only when shown, as a long name would be repeated in the paths
    of all values below it.
    """
    yield None, value
    open_ones = [_members(None, value)]
    while open_ones:
        child = next(open_ones[-1], None)
        if child is None:
            open_ones.pop()
            continue
        yield child
        open_ones.append(_members(*child))


def _members(place: _Place, value: Any) -> Iterator[tuple[_Place, Any]]:
    if isinstance(value, dict):
        return (((place, name), child) for name, child in value.items())
    return (((place, name), child) for name, child in enumerate(value if isinstance(value, list) else ()))


def _path(place: _Place) -> str:
    """The dotted path, with long names shortened."""
    parts: list[str] = []
    while place is not None:
        place, name = place
        parts.append(_shown(str(name)))
    return ".".join(reversed(parts)) or "body"


def _shown(name: str) -> str:
    kept = shorten(name, LONGEST_NAME).encode("utf-8", "backslashreplace").decode()
    return kept.replace("\x00", "\\u0000")
