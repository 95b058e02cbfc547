"""Keyset pagination: a cursor says after which row the next page begins, so late pages cost no more."""

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol, cast

import orjson
from django.core.exceptions import ValidationError
from django.db import OperationalError, connection, transaction
from django.db.models import Field, Q, QuerySet

from config.postgresql.sessions import TOOK_TOO_LONG, sqlstate
from web.errors import FieldProblem, InvalidInput
from web.fields import EARLIEST, LATEST, PageQuery

PIECE = 100  # rows that are read first if they are filtered in Python
SLOW_SECONDS = 5.0  # for a page whose filters no index serves


class Sieve(Protocol):
    """Filters rows by what SQL can't express, until it is spent."""

    @property
    def spent(self) -> bool: ...

    @property
    def takes(self) -> int:
        """How many rows it wants next, after the first piece."""

    def __call__(self, rows: Sequence[Any]) -> list[Any]: ...


def page_of(
    rows: QuerySet[Any, Any],
    *,
    order: Sequence[str],
    page: PageQuery,
    present: Callable[[Any], Any] = lambda row: row,
    slow: Sequence[str] = (),
    keep: Sieve | None = None,
) -> dict[str, Any]:
    """{"items", "next_cursor"}: at most `page.limit` rows in `order`, each through `present`.

    `keep` filters rows; if it is spent before the page is full, the cursor continues from there.

    `order` names fields or annotations of the rows, which must not be null and must be unique together; `-` is for
    descending. `slow`: given parameters that no index serves. If they take longer than SLOW_SECONDS, InvalidInput names
    them.
    """
    names = [name.lstrip("-") for name in order]
    if page.cursor is not None:
        rows = rows.filter(_after(order, _decode([_field(rows, name) for name in names], page.cursor)))
    with _within_seconds(slow):
        found, last = sifted(rows, order, page.limit, keep)
    return {"items": [present(row) for row in found], "next_cursor": _cursor(last, order)}


def cursor_after(rows: QuerySet[Any, Any], place: int, *, order: Sequence[str]) -> str | None:
    """The cursor of a page that begins after this many rows; None if it is the first page, or there are fewer rows."""
    return _cursor(rows.order_by(*order)[place - 1 : place].first() if place else None, order)


def sifted(
    rows: QuerySet[Any, Any], order: Sequence[str], limit: int, keep: Sieve | None
) -> tuple[list[Any], Any]:
    """Return the first `limit` rows that `keep` accepts, and the row after which to continue (None: at the end)."""
    if keep is None:
        found = list(rows.order_by(*order)[: limit + 1])
    else:
        found, size, read = [], PIECE, 0
        piece = list(rows.order_by(*order)[:size])
        while piece:
            found += keep(piece)
            read += len(piece)
            if len(found) > limit or len(piece) < size:
                break
            if keep.spent:
                return found, piece[-1]
            values, size = [_value(piece[-1], name.lstrip("-")) for name in order], keep.takes
            if found:  # if many are accepted, at most twice the rest of the page
                size = min(size, PIECE + 2 * (limit + 1 - len(found)) * read // len(found))
            piece = list(rows.filter(_after(order, values)).order_by(*order)[:size])
    return found[:limit], found[limit - 1] if len(found) > limit else None


@contextmanager
def _within_seconds(slow: Sequence[str]) -> Iterator[None]:
    """Limit the statements inside to SLOW_SECONDS, if any parameter is `slow`."""
    if not slow:
        yield
        return
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{SLOW_SECONDS * 1000:.0f}'")
            yield
    except OperationalError as error:
        if sqlstate(error) != TOOK_TOO_LONG:
            raise
        way_out = (
            f"takes longer than {SLOW_SECONDS:g} seconds among so many rows. Make it simpler or leave it out, narrow "
            "the list by other parameters, or search instead"
        )
        problems = [FieldProblem(name, way_out) for name in slow]
        raise InvalidInput(f"{', '.join(slow)}: {way_out}", problems=problems) from None


def _field(rows: QuerySet[Any, Any], name: str) -> "Field[Any, Any]":
    annotation = rows.query.annotations.get(name)
    field = annotation.output_field if annotation is not None else rows.model._meta.get_field(name)
    return cast("Field[Any, Any]", field)


def _value(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, dict) else getattr(row, name)


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """A filter for the rows after `values`. The first key limits the index scan, the others break ties."""
    name, value = order[0].lstrip("-"), values[0]
    later = "lt" if order[0].startswith("-") else "gt"
    beyond = Q(**{f"{name}__{later}": value})
    if len(order) == 1:
        return beyond
    return Q(**{f"{name}__{later}e": value}) & (beyond | _after(order[1:], values[1:]))


def _cursor(last: Any, order: Sequence[str]) -> str | None:
    """The cursor of the page after the row `last`."""
    if last is None:
        return None
    values = [_value(last, name.lstrip("-")) for name in order]
    return base64.urlsafe_b64encode(orjson.dumps(values)).decode().rstrip("=")


def _decode(fields: Sequence["Field[Any, Any]"], cursor: str) -> list[Any]:
    """The sort key of the last row that was shown. Raises InvalidInput for a cursor that isn't ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        values = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        if not isinstance(values, list) or len(values) != len(fields):
            raise ValueError
        return [_key(field, value) for field, value in zip(fields, values, strict=True)]
    except (ValueError, OverflowError, binascii.Error, ValidationError):
        raise InvalidInput.of("cursor", "send back next_cursor as it was given, or leave it out") from None


def _key(field: "Field[Any, Any]", value: Any) -> Any:
    if type(value) not in (str, int) or (isinstance(value, str) and "\x00" in value):
        raise ValueError
    key = field.to_python(value)
    if key is None or (isinstance(key, int) and not -(2**63) <= key < 2**63):
        raise ValueError
    if isinstance(key, datetime) and (key.tzinfo is None or not EARLIEST <= key <= LATEST):
        raise ValueError
    return key
