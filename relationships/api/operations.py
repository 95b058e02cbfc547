"""What a view's method takes and answers, said once beside it. OpenAPI and the base view read it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Operation:
    """`answers` by status (None: no body). `problems`: statuses beyond those any operation may have.

    `body_type`: the body's media type where it is not JSON.
    """

    id: str
    tag: str
    summary: str
    body: type[BaseModel] | None = None
    body_type: str | None = None
    body_optional: bool = False
    query: type[BaseModel] | None = None
    answers: Mapping[int, type[BaseModel] | None] = field(default_factory=dict)
    problems: tuple[int, ...] = ()
    if_match: bool = False
    idempotent: bool = False  # takes an Idempotency-Key
    etag: bool = False  # answers carry an ETag
    example: Any = None  # of the request
    answer_example: Any = None


def operation(
    id: str,
    *,
    tag: str,
    summary: str,
    answers: Mapping[int, type[BaseModel] | None],
    body: type[BaseModel] | None = None,
    body_type: str | None = None,
    body_optional: bool = False,
    query: type[BaseModel] | None = None,
    problems: tuple[int, ...] = (),
    if_match: bool = False,
    idempotent: bool = False,
    etag: bool = False,
    example: Any = None,
    answer_example: Any = None,
) -> Callable[[F], F]:
    """Declare a view's method. The method's docstring becomes the operation's description."""
    declared = Operation(
        id=id,
        tag=tag,
        summary=summary,
        body=body,
        body_type=body_type,
        body_optional=body_optional,
        query=query,
        answers=answers,
        problems=problems,
        if_match=if_match,
        idempotent=idempotent,
        etag=etag,
        example=example,
        answer_example=answer_example,
    )

    def declare(method: F) -> F:
        method.operation = declared  # type: ignore[attr-defined]
        return method

    return declare


def operation_of(view: object, method: str) -> Operation | None:
    """The declaration of a view's `method` (any case); HEAD is GET."""
    name = "get" if method.lower() == "head" else method.lower()
    found: Operation | None = getattr(getattr(view, name, None), "operation", None)
    return found
