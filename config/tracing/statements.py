"""Spans for statements, by Django's hook, as psycopg's instrumentation doesn't see the cursors that prepare."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db.backends.signals import connection_created
from opentelemetry import trace

Execute = Callable[[Any, Any, bool, dict[str, Any]], Any]
Span = Callable[..., Any]

LONGEST = 1000  # characters of a statement
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_WHAT = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
_TABLE = re.compile(r'\b(?:FROM|INTO|UPDATE)\s+"?([a-z_]+)\b(?!\s*\()', re.IGNORECASE)


def trace_statements(span: Span, note: Callable[[dict[str, Any]], None]) -> Callable[..., None]:
    """Make a span for each statement from now on. Keep the result, as `connection_created` references it weakly."""

    def execute(execute: Execute, sql: Any, parameters: Any, many: bool, context: dict[str, Any]) -> Any:
        if not trace.get_current_span().is_recording():
            return execute(sql, parameters, many, context)
        name, text = described(sql if isinstance(sql, str) else sql.as_string())
        with span(name, {"db.system.name": "postgresql", "db.query.text": text}, outward=True):
            result = execute(sql, parameters, many, context)
            rows = context["cursor"].rowcount
            note({"db.response.returned_rows": rows if rows >= 0 else None})
            return result

    def receive(connection: Any, **_: Any) -> None:
        if execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(execute)

    connection_created.connect(receive)
    return receive


@lru_cache(maxsize=2048)
def described(sql: str) -> tuple[str, str]:
    """A statement's name, such as `UPDATE relationships_turn`, and its text with placeholders and without literals."""
    text = _LITERAL.sub("?", " ".join(sql.split()))
    what, table = _WHAT.search(text), _TABLE.search(text)
    words = ((what and what[1].upper()) or (text.split() or ["statement"])[0].upper(), table and table[1])
    return " ".join(word for word in words if word), text[:LONGEST]
