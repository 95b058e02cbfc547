"""What a profile or a session's state has to look like: JSON Schema 2020-12, as far as it is quick to check.

References and patterns are left out: with them, a few lines of a schema can keep a thread busy for hours. What is left
can still take each part of the schema times each value of the document, so the steps are counted.
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
ONE = frozenset({"items", "additionalProperties", "not"})  # hold a schema
SEVERAL = frozenset({"anyOf", "oneOf", "allOf"})  # hold a list of them
NAMED = frozenset({"properties"})  # hold one by each name
# Looked at for what stands twice, or one by one for each value: of lists and objects that takes too long.
ALTERNATIVES = frozenset({"enum", "const", "required", "type"})
MOST_DEEP = 20
MOST_BYTES = 65_536  # of a schema
MOST_STEPS = 300_000  # of one check; the longest list there can be, of numbers, takes 260,000
MOST_PROBLEMS = 20
DETAIL_LENGTH = 200
SHOWN = 60  # characters of a text that a sentence repeats
LISTED = 10  # members of a list

_steps: ContextVar[int] = ContextVar("_steps", default=0)


class _TooManySteps(Exception):
    """MOST_STEPS are over."""


class _Object(dict[str, Any]):
    """A sentence repeats the value that is wrong, and one is made for each branch that it does not fit: in a word."""

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
    """The schema as it is. Raises ValueError where it is none, or says what is not taken."""
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
        raise ValueError(f"This is not a JSON Schema: {_said(error)}") from None
    return schema


Shape = Annotated[dict[str, Any] | None, AfterValidator(known_shape)]


def refuse_misshapen(schema: Mapping[str, Any] | None, document: Mapping[str, Any], *, whole: str) -> None:
    """Raises InvalidInput, naming the fields; `whole` is the name of the document itself. Null takes any."""
    if schema is None:
        return
    problems: list[FieldProblem] = []
    _steps.set(0)
    try:
        for error in _Counting(_tersely(schema)).iter_errors(_tersely(document)):
            field = ".".join(map(str, error.absolute_path)) or whole
            problems.append(FieldProblem(field, _said(error)))
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


def _tersely(value: Any) -> Any:
    """The same, in types that are quick to put into a sentence."""
    if isinstance(value, dict):
        return _Object((_Text(name), _tersely(child)) for name, child in value.items())
    if isinstance(value, list):
        return _List(map(_tersely, value))
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
    """Every keyword of a schema and of those inside it."""
    if not isinstance(schema, dict):
        return
    if not deep:
        raise ValueError(f"A schema may be nested {MOST_DEEP} deep at the most.")
    for keyword, value in schema.items():
        yield keyword
        if keyword in ALTERNATIVES and not _are_plain(value):
            raise ValueError(f"{keyword} may hold only texts, numbers, true, false or null.")
        if keyword in ONE:
            yield from _keywords(value, deep - 1)
        elif keyword in SEVERAL and isinstance(value, list):
            for part in value:
                yield from _keywords(part, deep - 1)
        elif keyword in NAMED and isinstance(value, dict):
            for part in value.values():
                yield from _keywords(part, deep - 1)


def _are_plain(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return not any(isinstance(one, dict | list) for one in values)


def _said(error: ValidationError | SchemaError) -> str:
    return shorten(error.message, DETAIL_LENGTH)
