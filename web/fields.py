"""Field types of request bodies and query strings, and the base classes of these."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Generic, TypeVar
from zoneinfo import available_timezones

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from web.described import Described
from web.errors import InvalidInput
from web.field_problems import matching, sentence_of

A = TypeVar("A", bound="Answer")
T = TypeVar("T")

# Plausible times, which can also be converted to any time zone.
EARLIEST, LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)")


_HOLD_MANY = ("list", "tuple", "set", "dict")


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


class FailFastModel(Described):
    """Reports all wrong fields, but only the first wrong member of each list, tuple, set and dictionary.

    A million wrong members would make a million errors.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        _stop_at_first(schema)
        return schema


class Body(FailFastModel):
    """A request body: JSON types as they are, nothing coerced, no unknown names."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def sent(self) -> dict[str, Any]:
        """The members that were sent: what a PATCH changes."""
        return self.model_dump(exclude_unset=True)


class Query(FailFastModel):
    """A query string: every value comes as text, unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(Described):
    """What a response holds. Answers are plain dicts; these classes describe them to OpenAPI."""

    model_config = ConfigDict(defer_build=True)

    @classmethod
    def of(cls, row: Any, **beside: Any) -> dict[str, Any]:
        """Take the fields of this class from the attributes of `row`, except those given in `beside`."""
        return {name: beside[name] if name in beside else getattr(row, name) for name in _names(cls)}


@cache
def _names(answer: type[Answer]) -> tuple[str, ...]:
    """The names of the fields. Cached, as pydantic looks them up each time."""
    return tuple(answer.model_fields)


class Page(Answer, Generic[A]):
    items: list[A]
    next_cursor: str | None

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        return f"{params[0].__name__.removesuffix('Answer')}Page"


def _written_as_rfc3339(value: Any) -> Any:
    if not isinstance(value, datetime) and not (isinstance(value, str) and _RFC3339.fullmatch(value)):
        raise ValueError(f"write a time with its zone, such as 2026-03-02T09:00:00Z{_lost_plus(value)}")
    return value


def _lost_plus(value: Any) -> str:
    date, space, zone = str(value).rpartition(" ")
    lost = space and _RFC3339.fullmatch(f"{date}+{zone}")
    return "; the + of a zone is written %2B in an address" if lost else ""


def _in_utc(value: datetime) -> datetime:
    if not EARLIEST <= value <= LATEST:
        raise ValueError("is out of range: from 0001-01-02 to 9999-12-30, in UTC")
    return value.astimezone(UTC)


def _digits_only(value: Any) -> Any:
    if isinstance(value, str) and not re.fullmatch(r"-?\d{1,18}", value, re.ASCII):
        raise ValueError("write a whole number")
    return value


def known_zone(value: str) -> str:
    """Return the name of an IANA time zone. Raises ValueError if it is none."""
    if value not in _zones():
        raise ValueError(f"{value[:64]!r} is not an IANA time zone, such as Europe/Lisbon")
    return value


@cache
def _zones() -> frozenset[str]:
    """The names of time zones, without other files that some systems have among them: localtime, posix/UTC."""
    return frozenset(available_timezones() - {"localtime"})


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


def _not_dots(value: str) -> str:
    if value in (".", ".."):
        raise ValueError("may not be just . or ..: in an address they name a folder")
    return value


NOT_BLANK = AfterValidator(_not_blank)
# Not strict: after a validator of ours pydantic no longer knows that the text came from JSON.
Timestamp = Annotated[
    AwareDatetime, Field(strict=False), BeforeValidator(_written_as_rfc3339), AfterValidator(_in_utc)
]
"""A time with its zone; in our hands always UTC."""
DIGITS = BeforeValidator(_digits_only)
"""Goes after the limits of a whole number in a query string, which pydantic would read from " 1_0.0" too."""
TimeZone = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(known_zone)]
"""An IANA time zone."""

# No control characters, as these names appear in URLs and logs.
_CONTROL = "has a control character in it, such as a line break"
_ONE_LINE = matching(r"^[^\x00-\x1f\x7f]+$", _CONTROL, min_length=1, max_length=200)
OneLine = Annotated[str, _ONE_LINE]
Name = Annotated[str, _ONE_LINE, NOT_BLANK]
ShortText = Annotated[str, matching(r"^[^\x00-\x1f\x7f]*$", _CONTROL, max_length=200)]
ExternalId = OneLine
"""The developer's own ID of a person."""
CompanionSlug = Annotated[
    str,
    matching(
        r"^[a-z0-9][a-z0-9_-]{0,79}$",
        "has to be 1 to 80 of a-z, 0-9, - and _, beginning with a letter or digit",
    ),
]
SessionName = Annotated[
    str,
    matching(r"^[^/\x00-\x1f\x7f]+$", f"{_CONTROL}, or a /", min_length=1, max_length=200),
    AfterValidator(_not_dots),
]
"""The developer's own ID of a session."""
JsonObject = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "additionalProperties": True})]
"""Any JSON object."""


def within(fault: Callable[[Any], str]) -> AfterValidator:
    """A validator for a limit. `fault` says what is wrong with the value; "" if nothing is."""

    def check(value: Any) -> Any:
        if said := fault(value):
            raise ValueError(said)
        return value

    return AfterValidator(check)


def wrong_part(*loc: str | int, detail: str) -> ValidationError:
    """The error that a validator of a whole value raises for one part, at `loc`."""
    line = InitErrorDetails(
        type=PydanticCustomError("wrong_part", "{detail}", {"detail": detail}), loc=loc, input=None
    )
    return ValidationError.from_exception_data("whole", [line])


def checked_value(kind: TypeAdapter[T], value: Any, *, field: str) -> T:
    """The value as this type has it. Raises InvalidInput, which names `field`."""
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        raise InvalidInput.of(field, sentence_of(error.errors()[0])) from None


def left_out() -> Any:
    """The default of a member that a PATCH may leave out: `Body.sent` omits it then."""
    return Field(default=None, json_schema_extra=_without_default)


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


class PageQuery(Query):
    """One page of a list. List views extend it with their filters."""

    limit: Annotated[int, Field(ge=1, le=200), DIGITS] = 50
    """How many, 1 to 200."""
    cursor: Annotated[str, StringConstraints(max_length=1000)] | None = None
    """`next_cursor` of the previous page."""

    def given(self, *names: str) -> dict[str, Any]:
        """Which of these filters were given, with their values."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}
