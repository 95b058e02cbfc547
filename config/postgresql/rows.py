"""Rows without the ORM's compiler, which takes longer than the statement: those of several tables inserted by one
statement, each table's as one JSON text, which PostgreSQL takes apart; and rows joined in one look, as instances.

The statement is the same however many rows there are, so it is prepared once a connection and compiled by nobody:

    cursor.execute(f"WITH a AS ({insert_of(A, 'a')}) {insert_of(B, 'b')}", {"a": rows_text(a), "b": rows_text(b)})
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

import orjson
from django.db import DEFAULT_DB_ALIAS
from django.db.models import DateTimeField, Field, JSONField, Model

M = TypeVar("M", bound=Model)


def insert_of(model: type[Model], name: str, *, source: str = "", **instead: str) -> str:
    """The INSERT of what `rows_text` made of such rows, given as the parameter `name`.

    `instead`: what stands in a column instead of the row's own, which is `given`'s; `source`: where else it comes from.
    """
    table = model._meta.db_table
    columns = list(_fields(model))
    values = ", ".join(instead.get(column, f'given."{column}"') for column in columns)
    return (
        f'INSERT INTO "{table}" ({", ".join(map(_quoted, columns))}) SELECT {values} '  # noqa: S608 - our own names
        f'FROM json_populate_recordset(NULL::"{table}", %({name})s) given{source}'
    )


def columns_of(model: type[Model], table: str) -> str:
    """All columns of the model, of `table` as a statement calls it."""
    return ", ".join(f'{table}."{column}"' for column in _fields(model))


def take_instance(model: type[M], values: Iterator[Any]) -> M:
    """A stored row, of the next of `values`: those of `columns_of`. JSON is text, as on Django's own connection."""
    fields = list(_fields(model).values())
    loaded = [
        orjson.loads(value) if isinstance(field, JSONField) and value is not None else value
        for field, value in zip(fields, values, strict=False)
    ]
    return model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], loaded)


def rows_text(rows: Sequence[Model]) -> str:
    """Rows of one model, not yet stored, as JSON: a list of objects by column."""
    if not rows:
        return "[]"
    columns, of_json, stamps = _columns(type(rows[0]))
    given = []
    for row in rows:
        values = {column: getattr(row, attribute) for column, attribute in columns}
        # As Django writes it: numbers of any length, and what is no JSON is the database's to refuse.
        for column in of_json:
            if values[column] is not None:
                values[column] = orjson.Fragment(json.dumps(values[column]))
        for column, field in stamps:
            values[column] = field.pre_save(row, True)
        given.append(values)
    return orjson.dumps(given, default=_plain).decode()


@cache
def _fields(model: type[Model]) -> Mapping[str, "Field[Any, Any]"]:
    return {str(field.column): field for field in model._meta.concrete_fields}


@cache
def _columns(
    model: type[Model],
) -> "tuple[list[tuple[str, str]], list[str], list[tuple[str, DateTimeField[Any, Any]]]]":
    """All with their attributes; those of JSON; those that say when the row is stored."""
    fields = _fields(model).items()
    stamps = [
        (column, field)
        for column, field in fields
        if isinstance(field, DateTimeField) and (field.auto_now or field.auto_now_add)
    ]
    of_json = [column for column, field in fields if isinstance(field, JSONField)]
    return [(column, field.attname) for column, field in fields], of_json, stamps


def _plain(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return "\\x" + bytes(value).hex()
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(type(value).__name__)


def _quoted(column: str) -> str:
    return f'"{column}"'
