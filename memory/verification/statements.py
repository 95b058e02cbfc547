"""How invariants ask the database: rows streamed a few at a time, so that memory stays the same."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db import connection
from psycopg import sql

from memory.verification.base import Page

AT_ONCE = 2_000  # rows


def rows(statement: str | sql.Composable, page: Page, **more: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of one statement, which may name %(ids)s, %(first)s, %(last)s, %(project)s, and `more`."""
    told: Mapping[str, Any] = {
        "ids": list(page.ids),
        "first": page.first,
        "last": page.last,
        "project": page.project_id,
        **more,
    }
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, told)
        while some := cursor.fetchmany(AT_ONCE):
            yield from some


def execute(statement: str | sql.Composable, told: Mapping[str, Any]) -> int:
    """Carry a statement out; how many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, told)
        changed: int = cursor.rowcount
    return changed
