"""What a profile or a session's state has to look like: JSON Schema 2020-12, as far as it is quick to check.

References and patterns are left out: with them, a few lines of a schema can keep a thread busy for hours.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from pydantic import AfterValidator

from relationships.errors import FieldProblem, InvalidInput

PLAIN = frozenset(
    "$schema type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength"
    " minItems maxItems minProperties maxProperties required title description default examples format".split()
)
ONE = frozenset({"items", "additionalProperties", "not"})  # hold a schema
SEVERAL = frozenset({"anyOf", "oneOf", "allOf"})  # hold a list of them
NAMED = frozenset({"properties"})  # hold one by each name
MOST_DEEP = 20
MOST_PROBLEMS = 20
DETAIL_LENGTH = 200


def known_shape(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """The schema as it is. Raises ValueError where it is none, or says what is not taken."""
    if schema is None:
        return None
    for keyword in _keywords(schema, MOST_DEEP):
        if keyword not in PLAIN | ONE | SEVERAL | NAMED:
            raise ValueError(f"The keyword {keyword[:50]!r} is not taken.")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"This is no JSON Schema: {_said(error)}") from None
    return schema


Shape = Annotated[dict[str, Any] | None, AfterValidator(known_shape)]


def refuse_misshapen(schema: Mapping[str, Any] | None, document: Mapping[str, Any], *, whole: str) -> None:
    """Raises InvalidInput, naming the fields; `whole` is the name of the document itself. Null takes any."""
    if schema is None:
        return
    problems: list[FieldProblem] = []
    for error in Draft202012Validator(schema).iter_errors(document):
        field = ".".join(map(str, error.absolute_path)) or whole
        problems.append(FieldProblem(field, _said(error)))
        if len(problems) == MOST_PROBLEMS:
            break
    if problems:
        detail = "; ".join(f"{problem.field}: {problem.detail}" for problem in problems)
        raise InvalidInput(detail, problems=problems)


def _keywords(schema: Any, deep: int) -> Iterator[str]:
    """Every keyword of a schema and of those inside it."""
    if not isinstance(schema, dict):
        return
    if not deep:
        raise ValueError(f"A schema may be nested {MOST_DEEP} deep at the most.")
    for keyword, value in schema.items():
        yield keyword
        if keyword in ONE:
            yield from _keywords(value, deep - 1)
        elif keyword in SEVERAL and isinstance(value, list):
            for part in value:
                yield from _keywords(part, deep - 1)
        elif keyword in NAMED and isinstance(value, dict):
            for part in value.values():
                yield from _keywords(part, deep - 1)


def _said(error: ValidationError | SchemaError) -> str:
    said = error.message
    return said if len(said) <= DETAIL_LENGTH else f"{said[:DETAIL_LENGTH]}…"
