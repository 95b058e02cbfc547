"""The gateway as a server calls it: by ASGI's messages, with a WSGI application of the test's own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any

import pytest
from django.db import OperationalError

from tests.unit.web.server.test_call import scope
from web.errors import NotFound
from web.server import admission
from web.server.body import Refused
from web.server.call import Answer
from web.server.clients import CLIENT
from web.server.gateway import Gateway, Limits

ROOM = {"threads": 4, "running_each": 3, "open_each": 5, "open_together": 50, "streams": 8, "chats": 4}
LIMITS = Limits(**ROOM, body=100, large_body=1000, proxies=0)


def refusal(environ: dict[str, Any], refused: Refused) -> Answer:
    return Answer(refused.status, [], f"{refused.code}: {refused.detail}".encode())


class Site:
    """A WSGI application: `/wait` waits for `open`, and everything tells what it was sent."""

    def __init__(self) -> None:
        self.open, self.inside = threading.Event(), threading.Semaphore(0)
        self.left = threading.Event()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if "HTTP_AUTHORIZATION" in environ and path != "/open":
            environ[CLIENT] = admission.Client(*environ["HTTP_AUTHORIZATION"].split("/"))
        if path == "/broken":
            raise RuntimeError("below Django")
        if path == "/cut-off":
            raise OperationalError("server closed the connection unexpectedly")
        if path == "/erased":
            raise NotFound("This relationship does not exist.")
        if path.endswith(("/wait", "/export")):
            self.inside.release()
            self.open.wait(30)
        if path == "/events":
            start_response("200 OK", [("Content-Type", "text/event-stream")])
            return self.events()
        start_response("200 OK", [])
        return [environ.get("CONTENT_LENGTH", "-").encode(), b" ", environ["wsgi.input"].read()]

    def events(self) -> Iterable[bytes]:
        try:
            while True:
                yield b"data: 1\n\n"
                self.inside.release()
                self.open.wait(0.01)
        finally:
            self.left.set()


class Client:
    """One request at a time: what is sent, and what came back."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway

    async def ask(
        self,
        path: str = "/",
        *parts: bytes,
        key: str = "",
        length: int | None = None,
        chunked: bool = False,
        silent: bool = False,
        broken_off: bool = False,
        leave: asyncio.Event | None = None,
    ) -> tuple[int, bytes]:
        """`silent`: the body never ends; `broken_off`: neither, and the client leaves. Status and body of the answer."""
        headers = [(b"authorization", key.encode())] if key else []
        if chunked:
            headers.append((b"transfer-encoding", b"chunked"))
        elif parts or length is not None:
            told = sum(map(len, parts)) if length is None else length
            headers.append((b"content-length", str(told).encode()))
        waiting = self.unread = list(parts) or [b""]
        heard: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if waiting:
                part = waiting.pop(0)
                more = silent or broken_off or bool(waiting)
                return {"type": "http.request", "body": part, "more_body": more}
            await (leave or asyncio.Event()).wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            heard.append(message)

        asked = scope(type="http", method="POST", path=path, headers=headers)
        await self.gateway(asked, receive, send)
        return heard[0]["status"], b"".join(message.get("body", b"") for message in heard[1:])


@pytest.fixture
def site() -> Iterable[Site]:
    made = Site()
    yield made
    made.open.set()


@pytest.fixture
def client(site: Site) -> Client:
    return Client(Gateway(site, limits=LIMITS, refusal=refusal))


def run(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main)


async def inside(site: Site, count: int) -> None:
    """Until so many requests have come into the application."""
    for _ in range(count):
        assert await asyncio.to_thread(site.inside.acquire, timeout=30)


def test_a_body_of_unknown_length_reaches_the_application_with_its_length(client: Client) -> None:
    assert run(client.ask("/", b"in ", b"parts", chunked=True)) == (200, b"8 in parts")


def test_a_body_said_to_be_too_long_is_left_unread_for_the_view_to_refuse(client: Client) -> None:
    assert run(client.ask("/", b"x", length=101, silent=True)) == (200, b"101 ")


def test_of_a_body_of_unknown_length_that_is_too_long_the_view_is_given_a_little_more_than_it_takes(
    client: Client,
) -> None:
    parts = [b"x" * 60] * 5

    assert run(client.ask("/", *parts, chunked=True)) == (200, b"120 " + b"x" * 120)
    assert not client.unread, "what sends all before it listens would never hear the answer"


def test_only_where_files_go_a_body_may_be_large(client: Client) -> None:
    assert run(client.ask("/v1/relationships/1/import", b"x" * 500))[1] == b"500 " + b"x" * 500
    assert run(client.ask("/v1/relationships/1/turns", b"x" * 500))[1] == b"500 "


def test_clients_that_never_finish_their_bodies_hold_no_thread(client: Client, site: Site) -> None:
    async def main() -> tuple[int, bytes]:
        await client.ask("/", key="another")
        slow = [asyncio.ensure_future(client.ask("/", b"x", length=50, silent=True)) for _ in range(5)]
        await asyncio.sleep(0)
        return await client.ask("/", b"quick", key="another") if slow else (0, b"")

    assert run(main()) == (200, b"5 quick")


def test_a_probe_is_answered_whoever_sends_it_bodies_that_never_end(client: Client) -> None:
    async def main() -> list[tuple[int, bytes]]:
        slow = [asyncio.ensure_future(client.ask("/healthz", b"x", length=50, silent=True)) for _ in range(5)]
        done, _ = await asyncio.wait(slow, timeout=10)
        return [request.result() for request in done] + [await client.ask("/healthz")]

    assert run(main()) == [(200, b"0 ")] * 6


def test_a_body_that_breaks_off_is_the_client_s_fault(client: Client) -> None:
    async def main() -> tuple[int, bytes]:
        gone = asyncio.Event()
        gone.set()
        return await client.ask("/", b"half", length=50, broken_off=True, leave=gone)

    assert run(main()) == (400, b"malformed_body: The body broke off before its end.")


def test_a_client_may_have_so_many_requests_open_and_another_has_its_own(client: Client, site: Site) -> None:
    async def main() -> tuple[int, bytes]:
        await client.ask("/", key="one")
        await client.ask("/", key="two")
        waiting = [asyncio.ensure_future(client.ask("/wait", key="one")) for _ in range(5)]
        await inside(site, 3)
        refused = await client.ask("/", key="one")
        assert await client.ask("/", key="two") == (200, b"0 ")
        site.open.set()
        assert {status for status, _ in await asyncio.gather(*waiting)} == {200}
        assert (await client.ask("/", key="one"))[0] == 200
        return refused

    detail = b"At most 5 requests of one client are open at once. Wait for one to end."
    assert run(main()) == (429, b"too_many_at_once: " + detail)


def test_a_key_is_known_until_it_is_refused(client: Client, site: Site) -> None:
    """An address that asks for none, such as that of the docs, says nothing about it."""

    async def main() -> None:
        await client.ask("/", key="one")
        await client.ask("/open", key="one")
        waiting = [asyncio.ensure_future(client.ask("/wait")) for _ in range(5)]  # as many as an address may
        await inside(site, 3)
        assert (await client.ask("/", key="one"))[0] == 200
        assert (await client.ask("/", key="unknown"))[0] == 429
        site.open.set()
        await asyncio.gather(*waiting)

    run(main())


@pytest.mark.parametrize(("slow", "begun"), [("one", 3), ("two/person", 1)])
def test_who_takes_long_leaves_threads_to_others(slow: str, begun: int, client: Client, site: Site) -> None:
    async def main() -> None:
        await asyncio.gather(client.ask("/", key=slow), client.ask("/", key="two"))
        held = [asyncio.ensure_future(client.ask("/wait", key=slow)) for _ in range(begun + 1)]
        await inside(site, begun)
        assert await client.ask("/", key="two") == (200, b"0 ")
        assert sum(request.done() for request in held) == (begun == 1)  # one that a person has open at most
        site.open.set()
        assert (await asyncio.gather(*held))[0][0] == 200

    run(main())


def test_exports_have_threads_of_their_own_one_for_each_client(client: Client, site: Site) -> None:
    async def main() -> None:
        await client.ask("/", key="one")
        held = [asyncio.ensure_future(client.ask("/v1/r/1/export", key="one")) for _ in range(3)]
        await inside(site, 1)
        assert await client.ask("/", key="one") == (200, b"0 ")
        assert not site.inside.acquire(blocking=False)  # the others wait for the first
        site.open.set()
        await asyncio.gather(*held)

    run(main())


def test_long_bodies_of_one_client_are_worked_on_one_at_a_time(site: Site) -> None:
    client = Client(Gateway(site, limits=replace(LIMITS, body=1_000_000), refusal=refusal))
    long = b"x" * 200_000

    async def main() -> None:
        await client.ask("/", key="one")
        held = [asyncio.ensure_future(client.ask("/wait", long, key="one")) for _ in range(3)]
        await inside(site, 1)
        assert await client.ask("/", b"short", key="one") == (200, b"5 short")
        assert not site.inside.acquire(blocking=False)
        site.open.set()
        assert {len(said) for _, said in await asyncio.gather(*held)} == {200_007}

    run(main())


def test_what_breaks_below_django_is_a_problem_and_no_thread_is_lost(client: Client) -> None:
    async def main() -> list[int]:
        return [(await client.ask("/broken"))[0] for _ in range(10)]

    assert run(main()) == [500] * 10
    assert run(client.ask("/")) == (200, b"0 ")


def test_an_answer_whose_reading_lost_the_database_or_what_it_is_read_from_says_so(client: Client) -> None:
    for path, expected in [("/cut-off", (503, b"database_unavailable")), ("/erased", (404, b"not_found"))]:
        status, body = run(client.ask(path))

        assert (status, body.split(b":")[0]) == expected


def test_a_stream_ends_when_its_client_leaves(client: Client, site: Site) -> None:
    async def main() -> None:
        leave = asyncio.Event()
        stream = asyncio.ensure_future(client.ask("/events", leave=leave))
        await inside(site, 3)
        leave.set()
        status, said = await stream
        assert (status, said[:9]) == (200, b"data: 1\n\n")

    run(main())

    assert site.left.wait(30)


def test_more_streams_than_there_is_room_for_are_refused(client: Client, site: Site) -> None:
    async def main() -> int:
        leave = asyncio.Event()
        streams = [asyncio.ensure_future(client.ask("/events", leave=leave)) for _ in range(2)]
        await inside(site, 2)
        status, _ = await client.ask("/events")
        leave.set()
        await asyncio.gather(*streams)
        return status

    assert run(main()) == 503
