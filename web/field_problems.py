"""What is wrong with fields that were sent, as sentences."""

from collections.abc import Mapping
from typing import Any

from pydantic import StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from web.errors import FieldProblem

# A model reports all its unknown fields. Above this many errors they are not handled one by one.
MOST_ERRORS = 1000
_SENTENCES = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
}
_OF_PATTERNS: dict[str, str] = {}


def matching(
    pattern: str, sentence: str, *, min_length: int | None = None, max_length: int | None = None
) -> StringConstraints:
    """A constraint of a text. `sentence`: what is wrong with one that does not match, without its subject."""
    assert _OF_PATTERNS.setdefault(pattern, sentence) == sentence, f"{pattern} has another sentence, too"
    return StringConstraints(pattern=pattern, min_length=min_length, max_length=max_length)


def without_nul(*, most: int, least: int | None = None) -> StringConstraints:
    """A constraint of a text of `least` to `most` characters."""
    said = "has a NUL character in it, which can't be stored"
    return matching(r"^[^\x00]*$", said, min_length=least, max_length=most)


def listed_errors(error: ValidationError) -> list[ErrorDetails]:
    """The errors one by one; if there are too many, a single one that says how many."""
    count = error.error_count()
    if count <= MOST_ERRORS:
        return error.errors(include_url=False, include_input=False)
    sentence = f"has {count} mistakes: are there that many unknown fields?"
    return [ErrorDetails(type="too_many_errors", loc=(), msg=sentence, input=None)]


def field_problems(error: ValidationError, data: Any) -> list[FieldProblem]:
    """Convert pydantic's errors to field problems: a dotted path into what was sent, and a sentence each."""
    problems, kinds = dict[str, str](), dict[str, str]()
    for line in listed_errors(error):
        path = _path(line["loc"], data, missing=line["type"] in ("missing", "wrong_part"))
        known, detail = problems.get(path), sentence_of(line)
        if known is None:
            problems[path], kinds[path] = detail, line["type"]
        elif line["type"] == "literal_error":  # the other member of a union, such as "or any" for a state
            problems[path] = f"{known}, or {detail.removeprefix('input should be ')}"
    return [FieldProblem(path, detail) for path, detail in problems.items() if not outdone(path, kinds)]


def outdone(path: str, kinds: Mapping[str, str]) -> bool:
    """Return whether errors inside what was sent are listed, and this one only follows from them: it is the text half
    of a union of text and object, or misses members that were not read after a wrong one.
    """
    return kinds[path] in ("string_type", "too_short") and any(one.startswith(f"{path}.") for one in kinds)


def sentence_of(line: ErrorDetails) -> str:
    """One of pydantic's errors in our words, as a sentence without its subject."""
    known = _SENTENCES.get(line["type"]) or _OF_PATTERNS.get(line.get("ctx", {}).get("pattern", ""))
    detail = known or line["msg"].removeprefix("Value error, ")
    if line["type"] in ("too_short", "too_long"):
        detail = detail.replace("Tuple", "List").replace(" after validation", "")
    return detail[:1].lower() + detail[1:]


def _path(loc: tuple[int | str, ...], data: Any, *, missing: bool) -> str:
    """The path, without the labels that pydantic adds for members of a union: only what is really in `data`."""
    parts: list[str] = []
    for place, part in enumerate(loc):
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        )
        if inside:
            data = data[part]
        if inside or (missing and place == len(loc) - 1):
            parts.append(str(part))
    return ".".join(parts) or "body"
