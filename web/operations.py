"""The declaration of what a view's method takes and answers. OpenAPI and the base view read it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Literal, TypeVar

import orjson
from pydantic import BaseModel

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operation:
    """Declares the method of a view that it decorates, whose docstring becomes the description.

    The method's parameters `query` and `body` are parsed strictly, as the models they are annotated with, before it is
    called. A method that parses its body itself names the model here. `answers`: models by status (None: no body).
    `problems`: statuses beyond those of any operation. `tag`: by default the view's. `body_type`: the body's media type
    if it is not JSON. `example`: a body, if the examples.json beside the view has none. `if_match`: by the row's
    version, or by the SHA-256 of the content.
    """

    id: str
    summary: str
    tag: str = ""
    body: type[BaseModel] | None = None
    body_type: str | None = None
    body_optional: bool = False
    query: type[BaseModel] | None = None
    answers: Mapping[int, type[BaseModel] | None] = field(default_factory=dict)
    problems: tuple[int, ...] = ()
    if_match: bool | Literal["sha256"] = False
    idempotent: bool = False  # takes an Idempotency-Key
    etag: bool = False  # answers carry an ETag
    streams: bool = False  # the answer may be server-sent events: instead, or always where it has no model
    example: Any = None

    def __call__(self, method: F) -> F:
        takes = signature(method).parameters
        named = {name: takes[name].annotation for name in ("query", "body") if name in takes}
        declared = replace(self, **named)

        @wraps(method)
        def read_and_call(view: Any, *args: Any, **kwargs: Any) -> Any:
            if "query" in named:
                kwargs["query"] = view.query(declared.query)
            if "body" in named:
                kwargs["body"] = view.body(declared.body, optional=declared.body_optional)
            return method(view, *args, **kwargs)

        called: Any = read_and_call if named else method
        called.operation = declared
        return called  # type: ignore[no-any-return]


operation = Operation


@cache
def examples_beside(module: str) -> dict[str, dict[str, Any]]:
    """The examples of a package's views: `request` and `answer`, by the operation's ID."""
    file = Path(str(import_module(module).__file__)).with_name("examples.json")
    found: dict[str, dict[str, Any]] = orjson.loads(file.read_bytes()) if file.exists() else {}
    return found


def operation_of(view: object, method: str) -> Operation | None:
    """The declaration of a view's `method` (any case); HEAD is GET."""
    name = "get" if method.lower() == "head" else method.lower()
    found: Operation | None = getattr(getattr(view, name, None), "operation", None)
    return found
