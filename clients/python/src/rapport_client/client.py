"""The two clients. Their operations are in generated/; this module sends them."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, Generic, ParamSpec, Self, TypedDict, TypeVar, Unpack

import httpx

from rapport_client.chat import AsyncChat, Chat
from rapport_client.errors import RapportError, StreamBroken, Unreachable
from rapport_client.generated import models as m
from rapport_client.generated import options as o
from rapport_client.generated.async_operations import AsyncOperations
from rapport_client.generated.operations import Operations
from rapport_client.relationship import AsyncRelationship, Relationship
from rapport_client.sending import (
    SILENCE,
    UNSET,
    Event,
    EventReader,
    Following,
    Id,
    Maybe,
    Operation,
    Outcome,
    Prepared,
    pause_before,
    prepare,
    read,
)

P = ParamSpec("P")
T = TypeVar("T")
SETTLED = frozenset(("applied", "skipped", "failed"))
LONGEST_PAUSE = 60.0  # seconds; after a longer Retry-After the caller decides
FIRST_POLL, LONGEST_POLL = 0.1, 2.0
NOT_YET = "The turn {} is neither applied nor skipped nor failed yet{}; `turns_read` tells when it is."
EVENTS, OUTBOX = "/v1/relationships/{id}/events", "/v1/relationships/{id}/outbox/stream"


def _not_yet(turn_id: Id, turn: m.TurnTraceAnswer | None) -> str:
    why = turn and turn.get("error")
    return NOT_YET.format(turn_id, f" ({why})" if why else "")


class Page(TypedDict, Generic[T]):
    """What every answer of a list operation has."""

    items: list[T]
    next_cursor: str | None


class _Base:
    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
    ) -> None:
        """`base_url` may end in `/v1`; it defaults to RAPPORT_URL, `api_key` to RAPPORT_API_KEY. `timeout`: seconds of
        one attempt, without the time that the call itself waits. `retries`: how often a call is repeated if that is
        safe.
        """
        base_url = base_url or os.environ.get("RAPPORT_URL", "http://127.0.0.1:8000")
        key = (api_key or os.environ.get("RAPPORT_API_KEY", "")).strip()  # a file ends with a line break
        if not key:
            raise ValueError("Give api_key (rk_... or rt_...), or set RAPPORT_API_KEY.")
        self._retries, self._timeout = retries, timeout
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self._options: dict[str, Any] = {
            "base_url": self.base_url,
            "headers": {"Authorization": f"Bearer {key}".encode(), "User-Agent": b"rapport-client/0.1.0"},
            "timeout": timeout,
            # A followed stream holds its connection: with only 100, as httpx has it, all other calls would wait.
            "limits": httpx.Limits(max_connections=None, max_keepalive_connections=20),
        }

    def _arguments(self, prepared: Prepared) -> dict[str, Any]:
        timeout = self._timeout + prepared.waits
        return {"method": prepared.method, "url": prepared.url, "timeout": timeout, **prepared.arguments}

    def _pause(self, attempt: int, prepared: Prepared, outcome: Outcome) -> float | None:
        pause = pause_before(attempt, prepared, outcome) if attempt < self._retries else None
        return pause if pause is None or pause <= LONGEST_PAUSE else None

    def _stream_arguments(self, operation: Operation) -> dict[str, Any]:
        arguments = self._arguments(prepare(operation))
        read = max(SILENCE, arguments["timeout"])
        return {**arguments, "timeout": httpx.Timeout(self._timeout, read=read)}

    def _following(self, template: str, relationship_id: Id, after: Maybe[str]) -> Following:
        return Following(self._retries, template, relationship_id, after)


class Rapport(_Base, Operations):
    """The service at `base_url`. Every operation is a method by its operationId; close it, or use it with `with`."""

    def __init__(self, *args: Any, transport: httpx.BaseTransport | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._http = httpx.Client(**self._options, transport=transport)
        self.chat = Chat(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def relationship(
        self, *, companion: str, user: str | m.WhichUser, **options: Unpack[o.RelationshipsGetOrCreate]
    ) -> Relationship:
        """Get or create the relationship of `user` (your own ID of the person) and `companion` (its slug)."""
        found = self.relationships_get_or_create(companion=companion, user=user, **options)
        return Relationship(self, found["id"])

    def relationship_by_id(self, relationship_id: Id) -> Relationship:
        """Return a relationship whose ID is known, such as the one that a token is for. Sends no request."""
        return Relationship(self, str(relationship_id))

    def items(self, method: Callable[P, Page[T]], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """Yield every item of a list operation, page by page: `client.items(client.users_list, limit=200)`."""
        page = method(*args, **kwargs)
        yield from page["items"]
        while page["next_cursor"]:
            kwargs["cursor"] = page["next_cursor"]
            page = method(*args, **kwargs)
            yield from page["items"]

    def wait(self, relationship_id: Id, turn_id: Id, *, timeout: float = 60.0) -> m.TurnTraceAnswer:
        """Wait until the turn is applied, skipped or failed, and return it. Raises TimeoutError."""
        deadline, pause = time.monotonic() + timeout, FIRST_POLL
        while (turn := self.turns_read(relationship_id, turn_id))["state"] not in SETTLED:
            if time.monotonic() + pause > deadline:
                raise TimeoutError(_not_yet(turn_id, turn))
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_POLL)
        return turn

    def events(self, relationship_id: Id, *, after: Maybe[str] = UNSET) -> Generator[Event, None, None]:
        """Yield events as they happen, starting after the event whose ID is `after`. Reconnects automatically."""
        return self._follow(self._following(EVENTS, relationship_id, after))

    def outbox(self, relationship_id: Id, *, after: Maybe[str] = UNSET) -> Generator[Event, None, None]:
        """Yield the messages that wait for the person, then new ones; `data` is an item of `outbox_list`.

        Reconnects automatically. Without `after`, it starts with all messages that are not acknowledged.
        """
        return self._follow(self._following(OUTBOX, relationship_id, after))

    def _follow(self, following: Following) -> Generator[Event, None, None]:
        while True:
            error = None
            try:
                for event in self._stream(following.operation, following.opened):
                    if following.take(event):
                        yield event
            except RapportError as found:
                error = found
            time.sleep(following.pause(error))

    def _send(self, operation: Operation) -> Any:
        prepared, attempt = prepare(operation), 0
        while True:
            try:
                outcome: Outcome = self._http.request(**self._arguments(prepared))
            except httpx.TransportError as error:
                outcome = error
            if (pause := self._pause(attempt, prepared, outcome)) is None:
                return _result(outcome)
            time.sleep(pause)
            attempt += 1

    def _stream(self, operation: Operation, opened: Callable[[], None] = lambda: None) -> Iterator[Event]:
        arguments, reader = self._stream_arguments(operation), EventReader()
        try:
            with self._http.stream(**arguments) as response:
                if response.status_code >= 400:
                    response.read()
                    read(response)
                opened()
                for text in response.iter_text():
                    yield from reader.read(text)
        except httpx.TransportError as error:
            raise StreamBroken(f"The stream broke off: {error}") from error


class AsyncRapport(_Base, AsyncOperations):
    """Rapport for asyncio."""

    def __init__(self, *args: Any, transport: httpx.AsyncBaseTransport | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._http = httpx.AsyncClient(**self._options, transport=transport)
        self.chat = AsyncChat(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def relationship(
        self, *, companion: str, user: str | m.WhichUser, **options: Unpack[o.RelationshipsGetOrCreate]
    ) -> AsyncRelationship:
        """Get or create the relationship of `user` (your own ID of the person) and `companion` (its slug)."""
        found = await self.relationships_get_or_create(companion=companion, user=user, **options)
        return AsyncRelationship(self, found["id"])

    def relationship_by_id(self, relationship_id: Id) -> AsyncRelationship:
        return AsyncRelationship(self, str(relationship_id))

    async def items(
        self, method: Callable[P, Awaitable[Page[T]]], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[T]:
        """Yield every item of a list operation, page by page."""
        page = await method(*args, **kwargs)
        while True:
            for item in page["items"]:
                yield item
            if not page["next_cursor"]:
                return
            kwargs["cursor"] = page["next_cursor"]
            page = await method(*args, **kwargs)

    async def wait(self, relationship_id: Id, turn_id: Id, *, timeout: float = 60.0) -> m.TurnTraceAnswer:
        """Wait until the turn is applied, skipped or failed, and return it. Raises TimeoutError."""
        pause, turn = FIRST_POLL, None
        try:
            async with asyncio.timeout(timeout):
                while (turn := await self.turns_read(relationship_id, turn_id))["state"] not in SETTLED:
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, LONGEST_POLL)
                return turn
        except TimeoutError:
            raise TimeoutError(_not_yet(turn_id, turn)) from None

    def events(self, relationship_id: Id, *, after: Maybe[str] = UNSET) -> AsyncGenerator[Event, None]:
        return self._follow(self._following(EVENTS, relationship_id, after))

    def outbox(self, relationship_id: Id, *, after: Maybe[str] = UNSET) -> AsyncGenerator[Event, None]:
        return self._follow(self._following(OUTBOX, relationship_id, after))

    async def _follow(self, following: Following) -> AsyncGenerator[Event, None]:
        while True:
            error = None
            try:
                async for event in self._stream(following.operation, following.opened):
                    if following.take(event):
                        yield event
            except RapportError as found:
                error = found
            await asyncio.sleep(following.pause(error))

    async def _send(self, operation: Operation) -> Any:
        prepared, attempt = prepare(operation), 0
        while True:
            try:
                outcome: Outcome = await self._http.request(**self._arguments(prepared))
            except httpx.TransportError as error:
                outcome = error
            if (pause := self._pause(attempt, prepared, outcome)) is None:
                return _result(outcome)
            await asyncio.sleep(pause)
            attempt += 1

    async def _stream(
        self, operation: Operation, opened: Callable[[], None] = lambda: None
    ) -> AsyncIterator[Event]:
        arguments, reader = self._stream_arguments(operation), EventReader()
        try:
            async with self._http.stream(**arguments) as response:
                if response.status_code >= 400:
                    await response.aread()
                    read(response)
                opened()
                async for text in response.aiter_text():
                    for event in reader.read(text):
                        yield event
        except httpx.TransportError as error:
            raise StreamBroken(f"The stream broke off: {error}") from error


def _result(outcome: Outcome) -> Any:
    if isinstance(outcome, httpx.Response):
        return read(outcome)
    raise Unreachable(
        f"No response from {outcome.request.url}: {type(outcome).__name__} {outcome}"
    ) from outcome
