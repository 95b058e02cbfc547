"""The operations of the asynchronous client: the methods of the synchronous one, whose `_send` is a
coroutine here, and whose `_stream` an asynchronous generator."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from rapport_client.sending import Event

P = ParamSpec("P")
R = TypeVar("R")


class Awaited(Generic[P, R]):
    """An operation with the same arguments, whose answer is awaited."""

    def __init__(self, method: Callable[Concatenate[Any, P], R]) -> None:
        self._method = method

    def __get__(self, client: object, owner: type) -> Callable[P, Coroutine[Any, Any, R]]:
        bound: Any = MethodType(self._method, client) if client is not None else self._method
        return bound  # type: ignore[no-any-return]


class Streamed(Generic[P]):
    """An operation with the same arguments, whose events are awaited one by one."""

    def __init__(self, method: Callable[Concatenate[Any, P], Iterator[Event]]) -> None:
        self._method = method

    def __get__(self, client: object, owner: type) -> Callable[P, AsyncIterator[Event]]:
        bound: Any = MethodType(self._method, client) if client is not None else self._method
        return bound  # type: ignore[no-any-return]
