"""A stream on its way to a client, with the thread that makes it."""

import asyncio
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from web.server.admission import Client
from web.server.call import Answer
from web.server.sending import Sender

AHEAD = 17  # parts: those on their way, and one in the thread's hand


class Parts:
    """`count` of them, and whether somebody has let go of them."""

    def __init__(self, count: int, *, broken: bool = False) -> None:
        self.made, self.closed = 0, threading.Event()
        self._count, self._broken = count, broken

    def __iter__(self) -> Iterator[bytes]:
        for number in range(self._count):
            self.made += 1
            yield b"%d " % number
        if self._broken:
            raise RuntimeError("in the middle")

    def close(self) -> None:
        self.closed.set()


async def handed_over(
    parts: Iterable[bytes], *, gone: asyncio.Event, taken: asyncio.Event
) -> list[dict[str, Any]]:
    """What a client is sent that takes nothing beyond the head until `taken`, and leaves at `gone`."""
    heard: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await taken.wait()
        heard.append(message)

    answer = Answer(200, [], stream=parts)
    await Sender(streams=4).send(answer, client=Client("one"), receive=receive, send=send)
    return heard


def body_of(heard: list[dict[str, Any]]) -> bytes:
    return b"".join(message["body"] for message in heard[1:])


def test_every_part_arrives_in_its_order_and_the_end_is_told() -> None:
    async def main() -> list[dict[str, Any]]:
        taken = asyncio.Event()
        taken.set()
        return await handed_over(parts, gone=asyncio.Event(), taken=taken)

    parts = Parts(1000)
    heard = asyncio.run(main())

    assert body_of(heard) == b"".join(b"%d " % number for number in range(1000))
    assert [message.get("more_body", False) for message in heard[1:]].index(False) == len(heard) - 2
    assert parts.closed.is_set()


def test_what_breaks_off_is_sent_as_far_as_it_came_and_is_not_said_to_have_ended() -> None:
    async def main() -> list[dict[str, Any]]:
        taken = asyncio.Event()
        taken.set()
        return await handed_over(parts, gone=asyncio.Event(), taken=taken)

    parts = Parts(3, broken=True)
    heard = asyncio.run(main())

    assert body_of(heard) == b"0 1 2 "
    assert all(message["more_body"] for message in heard[1:])
    assert parts.closed.is_set()


def test_who_takes_nothing_holds_few_parts_and_when_he_leaves_they_are_let_go_of() -> None:
    async def main() -> None:
        gone = asyncio.Event()
        sending = asyncio.ensure_future(handed_over(parts, gone=gone, taken=asyncio.Event()))
        while parts.made < AHEAD:
            await asyncio.sleep(0)
        gone.set()
        await sending

    parts = Parts(1000)
    asyncio.run(main())

    assert parts.made <= AHEAD + 1
    assert parts.closed.is_set()


def test_a_stream_that_waits_ends_when_its_client_leaves_and_sends_nothing_meanwhile() -> None:
    waited = threading.Event()

    def parts() -> Iterator[bytes]:
        yield b"data: 1\n\n"
        for _ in range(1000):
            yield b""
        waited.set()
        while True:
            yield b""

    async def main() -> list[dict[str, Any]]:
        gone, taken = asyncio.Event(), asyncio.Event()
        taken.set()
        sending = asyncio.ensure_future(handed_over(parts(), gone=gone, taken=taken))
        while not waited.is_set():
            await asyncio.sleep(0)
        gone.set()
        return await sending

    assert [message["body"] for message in asyncio.run(main())[1:]] == [b"data: 1\n\n"]


def test_a_stream_that_falls_silent_says_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.server.sending._KEEP_ALIVE_SECONDS", 0.05)
    told, heard = threading.Event(), list[bytes]()

    def parts() -> Iterator[bytes]:
        yield b"data: 1\n\n"
        told.wait(30)
        yield b"data: 2\n\n"

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(message: Any) -> None:
        heard.append(message.get("body", b""))
        if message.get("body", b"").startswith(b":"):
            told.set()

    answer = Answer(200, [], stream=parts())
    asyncio.run(Sender(streams=4).send(answer, client=Client("one"), receive=receive, send=send))

    assert told.is_set()
    assert heard[1].startswith(b"data: 1") and b"data: 2\n\n" in heard[2:]
