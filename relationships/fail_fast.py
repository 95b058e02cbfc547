"""Models whose lists stop at their first wrong member: a million wrong ones would make a million errors."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, ErrorDetails

_HOLD_MANY = ("list", "tuple", "set", "dict")
# A model names all of its unknown fields. Past so many mistakes none is looked at one by one.
MOST_ERRORS = 1000


def _stop_at_first(schema: Any) -> None:
    inner: Iterable[Any] = ()
    if isinstance(schema, dict):
        if schema.get("type") in _HOLD_MANY:
            schema["fail_fast"] = True
        inner = schema.values()
    elif isinstance(schema, list | tuple):
        inner = schema
    for part in inner:
        if isinstance(part, dict | list | tuple):
            _stop_at_first(part)


class FailFastModel(BaseModel):
    """Of each list, tuple, set and dictionary the first wrong member is named; of the fields, all."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _stop_at_first(schema)
        return schema


def listed_errors(error: ValidationError) -> list[ErrorDetails]:
    """The mistakes one by one; where they are more than anybody reads, one that says how many."""
    count = error.error_count()
    if count <= MOST_ERRORS:
        return error.errors(include_url=False, include_input=False)
    sentence = f"has {count} mistakes: are there so many fields that are not known?"
    return [ErrorDetails(type="too_many_errors", loc=(), msg=sentence, input=None)]
