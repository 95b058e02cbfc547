"""Dump the whole database as text, and find the tables that contain a word."""

import json
from collections.abc import Mapping

from django.db import connection
from psycopg import sql


def dump() -> dict[str, str]:
    """Every table of the database as written by COPY, including the queue's and Django's own."""
    copies: dict[str, str] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        for (table,) in cursor.fetchall():
            # Of a table in shards, COPY without a query may not see what this transaction has written.
            statement = sql.SQL("COPY (SELECT * FROM {}) TO STDOUT").format(sql.Identifier(table))
            with cursor.copy(statement) as copy:
                copies[table] = b"".join(copy).decode()
    return copies


def spellings(word: str) -> set[str]:
    """The word as written in a text column, in JSON, and in bytes."""
    escaped = json.dumps(word)[1:-1]
    return {word, escaped, escaped.replace("\\", "\\\\"), word.encode().hex(), word.encode("utf-16-le").hex()}


def tables_with(word: str, copies: Mapping[str, str]) -> set[str]:
    wanted = [spelling.lower() for spelling in spellings(word)]
    return {table for table, text in copies.items() if any(spelling in text.lower() for spelling in wanted)}
