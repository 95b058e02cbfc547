"""Every operation of the API as its views declare it: what the reference of REST must say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from web.authentication import DEFAULT_SCOPES
from web.operations import Operation, operation_of

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one address, the scope it takes, and whether a relationship token opens it too."""

    method: str
    path: str
    declared: Operation
    scope: str
    open_to_tokens: bool

    @property
    def row(self) -> str:
        """Its line in docs/reference/rest.md."""
        token = "yes" if self.open_to_tokens else ""
        call, does = f"`{self.method} {self.path}` | `{self.declared.id}`", self.declared.summary
        return f"| {call} | {does} | {self.scope} | {token} |".replace("  |", " |")


def routes() -> list[Route]:
    """In the order of the addresses. Of two views at one address the first answers, as in Django."""
    found: dict[tuple[str, str], Route] = {}
    for path, view in _views(get_resolver().url_patterns, "/"):
        for method in METHODS:
            declared = operation_of(view, method)
            if declared is not None:
                found.setdefault((path, method), _route(method, path, declared, view))
    return list(found.values())


def _route(method: str, path: str, declared: Operation, view: Any) -> Route:
    scope = view.scopes.get(method) or DEFAULT_SCOPES.get(method, "write")
    opened = view.open_to_tokens
    return Route(method, path, declared, scope, opened is True or bool(opened and method in opened))


def _views(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        path = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from _views(pattern.url_patterns, path)
        elif (view := getattr(pattern.callback, "cls", None)) is not None:
            yield path, view
