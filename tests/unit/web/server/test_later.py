"""An answer that is made later, on a server that tells the end of a body in a message of its own."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.http import HttpResponseBase, StreamingHttpResponse

from tests.unit.web.server.test_call import scope
from tests.unit.web.server.test_gateway import LIMITS, refusal
from web.deferred import LaterResponse
from web.server.gateway import Gateway


class Server:
    """As granian is: the end of a body comes a moment after the body, and after a wait for it that was cancelled it
    says that the client left.
    """

    def __init__(self, body: bytes) -> None:
        self.body, self.taken, self.ended, self.confused = body, False, False, False
        self.heard: list[bytes] = []

    async def receive(self) -> dict[str, Any]:
        if not self.taken:
            self.taken = True
            return {"type": "http.request", "body": self.body, "more_body": True}
        if self.ended:
            await asyncio.Event().wait()
        if not self.confused:
            await self._moment()
        if self.confused:
            return {"type": "http.disconnect"}
        self.ended = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Any) -> None:
        self.heard.append(message.get("body", b""))

    async def _moment(self) -> None:
        comes = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, comes.set)
        try:
            await comes.wait()
        except asyncio.CancelledError:
            self.confused = True
            raise


def later(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    def answer() -> HttpResponseBase:
        return StreamingHttpResponse(iter([b"a", b"b", b"c"]), content_type="text/event-stream")

    start_response("200 OK", [])
    return LaterResponse(answer)


@pytest.mark.parametrize("body", [b"", b"words"])
def test_its_stream_is_not_taken_for_one_whose_client_left(body: bytes) -> None:
    server = Server(body)
    asked = scope(type="http", method="POST", headers=[(b"content-length", str(len(body)).encode())])

    asyncio.run(Gateway(later, limits=LIMITS, refusal=refusal)(asked, server.receive, server.send))

    assert b"".join(server.heard) == b"abc"
