import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from io import BytesIO
from typing import Any

import pytest

from web.server import body as server_body
from web.server.body import IN_MEMORY, Bodies, Refused, is_bulk, time_for


def told(*parts: bytes, gone: bool = False, ended: bool = True) -> Callable[[], Awaitable[dict[str, Any]]]:
    """What a server hands over, part by part, and with the last that it is the last, if `ended`. At the end, with
    `gone`, that the client left, else silence.
    """

    async def messages() -> AsyncIterator[dict[str, Any]]:
        for place, part in enumerate(parts):
            more = gone or not ended or place < len(parts) - 1
            yield {"type": "http.request", "body": part, "more_body": more}
        if gone:
            yield {"type": "http.disconnect"}
        await asyncio.Event().wait()

    return messages().__anext__


def read(
    receive: Callable[[], Awaitable[dict[str, Any]]],
    *,
    length: int | None = None,
    limit: int = 100,
    seconds: float = 30.0,
) -> bytes:
    async def whole() -> bytes:
        with await Bodies().read(receive, length=length, limit=limit, seconds=seconds) as body:
            return body.read()

    return asyncio.run(whole())


def test_a_body_is_read_whole_in_one_part_or_in_several() -> None:
    assert read(told(b"")) == b""
    assert read(told(b"whole")) == b"whole"
    assert read(told(b"in ", b"three ", b"parts")) == b"in three parts"


@pytest.mark.parametrize("parts", [(), (b"whole",), (b"in ", b"three ", b"parts")])
def test_a_body_as_long_as_it_was_to_be_is_not_waited_for(parts: tuple[bytes, ...]) -> None:
    whole = b"".join(parts)
    assert read(told(*parts, ended=False), length=len(whole), seconds=1) == whole


@pytest.mark.parametrize("length", [50, 101, None])
def test_a_body_that_is_longer_than_it_may_be_is_read_until_that_shows(length: int | None) -> None:
    assert read(told(b"x" * 101, b"more", ended=False), length=length, seconds=1) == b"x" * 101


def test_a_large_body_waits_on_the_disk() -> None:
    async def rolled() -> bool:
        half = b"x" * IN_MEMORY
        with await Bodies().read(told(half, half), length=None, limit=3 * IN_MEMORY, seconds=30) as body:
            return not isinstance(body, BytesIO) and bool(body._rolled)  # type: ignore[attr-defined]

    assert asyncio.run(rolled())


@pytest.mark.parametrize("stops_first", [True, False])
def test_a_server_that_stops_waits_a_moment_for_a_body(
    monkeypatch: pytest.MonkeyPatch, stops_first: bool
) -> None:
    monkeypatch.setattr(server_body, "_STOP_SECONDS", 0.01)

    async def stop() -> None:
        bodies = Bodies()

        async def silence() -> dict[str, Any]:
            if not stops_first:
                bodies.stop()
            return await asyncio.Future()

        if stops_first:
            bodies.stop()
        await bodies.read(silence, length=5, limit=100, seconds=60)

    with pytest.raises(Refused, match="stops"):
        asyncio.run(asyncio.wait_for(stop(), 10))


def test_a_larger_body_has_more_time() -> None:
    assert time_for(0) == 30
    assert time_for(65_536_000) == 1030


@pytest.mark.parametrize(
    ("path", "bulk"),
    [
        ("/v1/relationships/1/import", True),
        ("/v1/relationships/1/export", True),
        ("/v1/companions/1/documents", True),
        ("/admin-ui/companions/1/documents/", True),
        ("/v1/relationships/1/turns", False),
        ("/v1/companions/1/documents/search", False),
        ("/import", False),
    ],
)
def test_bulk_is_where_files_come_and_go(path: str, bulk: bool) -> None:
    assert is_bulk(path) is bulk
