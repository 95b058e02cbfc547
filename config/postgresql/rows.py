"""Write and read rows without the ORM's compiler, which takes longer than the statements.

One statement inserts rows into several tables, each table's rows as one JSON text that PostgreSQL unpacks; and one
reads joined rows as model instances. The statement doesn't depend on the number of rows, so it is prepared once per
connection:

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
    """The INSERT for rows in the format of `rows_text`, passed as the parameter `name`.

    `instead`: expressions for columns that do not take the row's own value (`given."column"`); `source`: further
    tables for the FROM that they need.
    """
    table = model._meta.db_table
    columns = ", ".join(f'"{column}"' for column in _fields(model))
    values = ", ".join(instead.get(column, f'given."{column}"') for column in _fields(model))
    return (
        f'INSERT INTO "{table}" ({columns}) SELECT {values} '  # noqa: S608 - our own names
        f'FROM json_populate_recordset(NULL::"{table}", %({name})s) given{source}'
    )


def columns_of(model: type[Model], table: str) -> str:
    """All columns of the model for a SELECT; `table` is the table's alias."""
    return ", ".join(f'{table}."{column}"' for column in _fields(model))


def take_instance(model: type[M], values: Iterator[Any]) -> M:
    """Make an instance from the next `values`, as `columns_of` selected them. JSON is text, as Django has it."""
    fields = list(_fields(model).values())
    loaded = [
        orjson.loads(value) if isinstance(field, JSONField) and value is not None else value
        for field, value in zip(fields, values, strict=False)
    ]
    return model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], loaded)


def rows_text(rows: Sequence[Model]) -> str:
    """Unsaved rows of one model as JSON: a list of objects by column."""
    if not rows:
        return "[]"
    columns, of_json, stamps = _columns(type(rows[0]))
    given = []
    for row in rows:
        values = {column: getattr(row, attribute) for column, attribute in columns}
        # As Django does: with numbers of any length, and leaving it to the database to refuse what isn't JSON.
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
) -> "tuple[list[tuple[str, str]], list[str], list[tuple[str, Field[Any, Any]]]]":
    """All columns with their attributes; the JSON columns; the timestamps that are set when a row is stored."""
    fields = _fields(model).items()
    stamps: list[tuple[str, Field[Any, Any]]] = [
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
