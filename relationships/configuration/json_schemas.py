"""JSON Schemas for profiles and session states: the part of JSON Schema 2020-12 that is quick to check.

References and patterns are refused: with them, a few lines of schema can keep a thread busy for hours. The rest can
still take (parts of the schema) x (values of the document) steps, so steps are counted and limited.
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Annotated, Any

import orjson
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError
from pydantic import AfterValidator

from web.errors import FieldProblem, InvalidInput, shorten

PLAIN = frozenset(
    "$schema type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength"
    " minItems maxItems minProperties maxProperties required title description default examples format".split()
)
ONE = frozenset({"items", "additionalProperties", "not"})  # contain a schema
SEVERAL = frozenset({"anyOf", "oneOf", "allOf"})  # contain a list of schemas
NAMED = frozenset({"properties"})  # contain schemas by name
# Each value is compared with all of these, and they with each other: with lists and objects that takes too long.
ALTERNATIVES = frozenset({"enum", "const", "required", "type"})
MOST_DEEP = 20
MOST_BYTES = 65_536  # of a schema
MOST_STEPS = 300_000  # of one check; the longest possible list of numbers takes 260,000
MOST_PROBLEMS = 20
DETAIL_LENGTH = 200
SHOWN = 60  # characters of a text that an error message repeats
LISTED = 10  # members of a list that it repeats

_steps: ContextVar[int] = ContextVar("_steps", default=0)


class _TooManySteps(Exception):
    """The check took more than MOST_STEPS."""


class _Object(dict[str, Any]):
    """Short in error messages, as jsonschema repeats the wrong value in one for each branch it does not fit."""

    def __repr__(self) -> str:
        return "the object"


class _List(list[Any]):
    def __repr__(self) -> str:
        shown = ["…" if isinstance(one, dict | list) else repr(one) for one in self[:LISTED]]
        return f"[{', '.join(shown + ['…'] * (len(self) > LISTED))}]"


class _Text(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return repr(shorten(str(self), SHOWN))


def known_shape(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the schema unchanged. Raises ValueError if it is not a schema or uses an unsupported keyword."""
    if schema is None:
        return None
    if (size := len(orjson.dumps(schema))) > MOST_BYTES:
        raise ValueError(f"The schema is {size} bytes long; at most {MOST_BYTES} are allowed.")
    for keyword in _keywords(schema, MOST_DEEP):
        if keyword not in PLAIN | ONE | SEVERAL | NAMED:
            raise ValueError(f"The keyword {keyword[:50]!r} is not supported.")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"This is not a JSON Schema: {_message(error)}") from None
    return schema


Shape = Annotated[dict[str, Any] | None, AfterValidator(known_shape)]


def refuse_misshapen(schema: Mapping[str, Any] | None, document: Mapping[str, Any], *, whole: str) -> None:
    """Check the document against the schema; None allows anything. `whole` is what errors call the document.

    Raises InvalidInput, naming the fields.
    """
    if schema is None:
        return
    problems: list[FieldProblem] = []
    _steps.set(0)
    try:
        for error in _Counting(_terse(schema)).iter_errors(_terse(document)):
            field = ".".join(map(str, error.absolute_path)) or whole
            problems.append(FieldProblem(field, _message(error)))
            if len(problems) == MOST_PROBLEMS:
                break
    except _TooManySteps:
        detail = (
            f"takes more than {MOST_STEPS:,} steps to check against its schema; make either of them smaller"
        )
        problems = [FieldProblem(whole, detail)]
    if problems:
        detail = "; ".join(f"{problem.field}: {problem.detail}" for problem in problems)
        raise InvalidInput(detail, problems=problems)


def _terse(value: Any) -> Any:
    """Copy the value into types with a short repr, for error messages."""
    if isinstance(value, dict):
        return _Object((_Text(name), _terse(child)) for name, child in value.items())
    if isinstance(value, list):
        return _List(map(_terse, value))
    return _Text(value) if isinstance(value, str) else value


Keyword = Callable[[Any, Any, Any, Any], Any]


def _counted(keyword: Keyword) -> Keyword:
    def checked(validator: Any, wanted: Any, value: Any, schema: Any) -> Any:
        steps = _steps.get() + 1 + _members(value) + _members(wanted)
        if steps > MOST_STEPS:
            raise _TooManySteps
        _steps.set(steps)
        return keyword(validator, wanted, value, schema)

    return checked


def _members(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 0


_known = {name: _counted(check) for name, check in Draft202012Validator.VALIDATORS.items()}
_Counting = validators.extend(Draft202012Validator, _known)


def _keywords(schema: Any, deep: int) -> Iterator[str]:
    """Every keyword of a schema and of the schemas inside it. Raises ValueError."""
    if not isinstance(schema, dict):
        return
    if not deep:
        raise ValueError(f"A schema may be nested {MOST_DEEP} deep at the most.")
    for keyword, value in schema.items():
        yield keyword
        alternatives = value if isinstance(value, list) else [value]
        if keyword in ALTERNATIVES and any(isinstance(one, dict | list) for one in alternatives):
            raise ValueError(f"{keyword} may hold only texts, numbers, true, false or null.")
        if keyword in ONE:
            yield from _keywords(value, deep - 1)
        elif keyword in SEVERAL and isinstance(value, list):
            for part in value:
                yield from _keywords(part, deep - 1)
        elif keyword in NAMED and isinstance(value, dict):
            for part in value.values():
                yield from _keywords(part, deep - 1)


def _message(error: ValidationError | SchemaError) -> str:
    return shorten(error.message, DETAIL_LENGTH)
