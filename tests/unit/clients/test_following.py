"""Streams that are asked for again: how long, and after which event."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from rapport_client import UNSET, AsyncRapport, Event, Rapport, RapportError, StreamBroken
from rapport_client.errors import problem_of
from rapport_client.sending import Following

from tests.unit.clients.server import Server, Told

MESSAGE = 'id: 7\nevent: message\ndata: {"content": "Good morning!"}\n\n'
STREAM = Told(text=MESSAGE, headers={"Content-Type": "text/event-stream"})
TOLD = Event("message", {"content": "Good morning!"}, "7")
CUT = StreamBroken("cut")


def following(retries: int = 0) -> Following:
    return Following(retries, "/v1/relationships/{id}/events", "r", UNSET)


def test_what_was_there_is_asked_for_again_however_long_it_is_away() -> None:
    stream = following()
    stream.opened()
    pauses = [stream.pause(CUT) for _ in range(40)]
    assert (pauses[:3], pauses[-1]) == ([1, 2, 3], 30)
    stream.opened()
    assert stream.pause(CUT) == 1


@pytest.mark.parametrize(
    ("error", "was_there"), [(CUT, False), (problem_of(503, {}), False), (problem_of(403, {}), True)]
)
def test_what_was_never_there_or_will_not_come_back_is_given_up(error: RapportError, was_there: bool) -> None:
    stream = following()
    if was_there:
        stream.opened()
    with pytest.raises(type(error)):
        stream.pause(error)


def test_a_stream_that_falls_silent_is_broken_one_in_which_a_model_is_asked_later() -> None:
    with Rapport("http://rapport.test", "rk_x", timeout=5) as client:
        waits = client._stream_arguments(following().operation)["timeout"]
    assert (waits.connect, waits.read) == (5, 45)


@pytest.mark.parametrize("of", [lambda client: client.outbox("r"), lambda client: client.outbox_stream("r")])
def test_messages_of_the_outbox_are_told_as_they_come(of: Callable[[Any], Any]) -> None:
    async def first(url: str) -> Any:
        async with AsyncRapport(url, "rk_x", retries=0) as client:
            return await anext(of(client))

    with Server(STREAM, STREAM) as server:
        with Rapport(server.url, "rk_x", retries=0) as client:
            assert next(of(client)) == TOLD
        assert asyncio.run(first(server.url)) == TOLD
    assert {asked.path for asked in server.asked} == {"/v1/relationships/r/outbox/stream"}


def test_who_follows_the_outbox_comes_back_after_its_last_message() -> None:
    with Server(STREAM, Told(drop=True), STREAM) as server, Rapport(server.url, "rk_x", retries=0) as client:
        messages = client.outbox("r")
        assert [next(messages), next(messages)] == [TOLD, TOLD]
    assert [asked.headers.get("last-event-id") for asked in server.asked] == [None, "7", "7"]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Streams stay open, without an event after the first."""
    head = await reader.readuntil(b"\r\n\r\n")
    if b"/events" in head:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1-1\ndata: 1\n\n")
        await reader.read()
    else:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
    writer.close()


def test_any_number_of_streams_leave_room_for_other_calls() -> None:
    async def follow_many() -> Any:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            async with AsyncRapport(f"http://{host}:{port}", "rk_x", timeout=5, retries=0) as client:
                streams = [client.events(str(number)) for number in range(120)]
                assert {event.data for event in await asyncio.gather(*map(anext, streams))} == {1}
                answered = await client.project_read()
                await asyncio.gather(*(stream.aclose() for stream in streams))
                return answered

    assert asyncio.run(follow_many()) == {}
