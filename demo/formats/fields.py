"""Field types of conversation files, and the check of a part of a file."""

import re
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, TypeAdapter, ValidationError

from relationships.services.limits import message_fault
from web.errors import FieldProblem, InvalidInput
from web.field_problems import field_problems
from web.fields import within

T = TypeVar("T")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("holds a NUL character, which can't be kept")
    if _SURROGATE.search(text):
        raise ValueError("holds half of a surrogate pair, which can't be kept")
    return text


Text = Annotated[str, AfterValidator(_storable)]
Utterance = Annotated[str, AfterValidator(_storable), within(message_fault)]


def checked(adapter: TypeAdapter[T], data: Any, *, under: str = "") -> T:
    """Validate `data`. Raises InvalidInput, with the paths of fields starting at `under`."""
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        raise InvalidInput.naming([named(line, under) for line in field_problems(error, data)]) from None


def named(line: FieldProblem, under: str) -> FieldProblem:
    """The problem with its path prefixed by `under`."""
    below = "" if line.field == "body" else line.field
    return FieldProblem(".".join(part for part in (under, below) if part), line.detail)
