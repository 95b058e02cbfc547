"""JSON Schemas for profiles and session states: the part of JSON Schema 2020-12 that is quick to check.

References and patterns are refused: with them, a few lines of schema can keep a thread busy for hours. The rest can
still take (parts of the schema) x (values of the document) steps, so steps are counted and limited.
"""

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Annotated, Any

import orjson
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError
from pydantic import AfterValidator

from web.errors import FieldProblem, InvalidInput, shorten

ONE = frozenset({"items", "additionalProperties", "not"})  # contain a schema
SEVERAL = frozenset({"anyOf", "oneOf", "allOf"})  # contain a list of schemas
NAMED = frozenset({"properties"})  # contain schemas by name
# Each value is compared with all of these, and they with each other: with lists and objects that takes too long.
ALTERNATIVES = frozenset({"enum", "const", "required", "type"})
TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
MOST_DEEP = 20
MOST_BYTES = 65_536  # of a schema
MOST_STEPS = 40_000  # of one check, up to half a second; a list of 19,000 numbers takes as many
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
    _check(schema, MOST_DEEP)
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
            f"takes more than {MOST_STEPS:,} steps to check against its schema: send fewer values, or give the schema "
            "fewer alternatives (anyOf, oneOf, allOf, enum) and names for each value of a list"
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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_different_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_type(value: Any) -> bool:
    named = [value] if isinstance(value, str) else value
    return _are_different_texts(named) and bool(named) and TYPES.issuperset(named)


# What the supported keywords may hold, and the words for it. The metaschema says the same, but takes a second to check.
_Rule = tuple[Callable[[Any], bool], str]
_A_NUMBER: _Rule = (_is_number, "a number")
_A_COUNT: _Rule = (_is_count, "a whole number from 0")
_A_TEXT: _Rule = (_is_text, "a text")
_A_LIST: _Rule = (lambda value: isinstance(value, list), "a list")
_ANYTHING: _Rule = (lambda value: True, "anything")
_RULES: dict[str, _Rule] = {
    "type": (_is_type, f"one of {', '.join(sorted(TYPES))}, or a list of different ones"),
    "required": (_are_different_texts, "a list of different texts"),
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    **dict.fromkeys(("const", "default"), _ANYTHING),
    **dict.fromkeys(("enum", "examples"), _A_LIST),
    **dict.fromkeys(("$schema", "title", "description", "format"), _A_TEXT),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _A_NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _A_COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _A_COUNT),
    **dict.fromkeys(ONE, _ANYTHING),  # what they contain is checked as a schema
    **dict.fromkeys(SEVERAL, (lambda value: isinstance(value, list) and bool(value), "a list of schemas")),
    **dict.fromkeys(NAMED, (lambda value: isinstance(value, dict), "an object of schemas")),
}


def _check(schema: Any, deep: int) -> None:
    """Check a schema and the schemas inside it. Raises ValueError."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        raise ValueError("This is not a JSON Schema: each schema in it has to be an object, true or false.")
    if not deep:
        raise ValueError(f"A schema may be nested {MOST_DEEP} deep at the most.")
    for keyword, value in schema.items():
        if keyword not in _RULES:
            raise ValueError(f"The keyword {keyword[:50]!r} is not supported.")
        alternatives = value if isinstance(value, list) else [value]
        if keyword in ALTERNATIVES and any(isinstance(one, dict | list) for one in alternatives):
            raise ValueError(f"{keyword} may hold only texts, numbers, true, false or null.")
        fits, words = _RULES[keyword]
        if not fits(value):
            raise ValueError(f"This is not a JSON Schema: {keyword} has to be {words}.")
        for part in _parts(keyword, value):
            _check(part, deep - 1)


def _parts(keyword: str, value: Any) -> Iterable[Any]:
    """The schemas that a keyword contains."""
    if keyword in ONE:
        return (value,)
    if keyword in SEVERAL:
        return list(value)
    return list(value.values()) if keyword in NAMED else ()


def _message(error: ValidationError) -> str:
    return shorten(error.message, DETAIL_LENGTH)
