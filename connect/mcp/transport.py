"""MCP's Streamable HTTP over Django: one POST is one exchange with the official SDK, without sessions.

The SDK is asynchronous and runs on its own event loop in the request's thread. It answers with a stream. If the stream
has a single message, as for all our tools, the client gets it as plain JSON.
"""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_STREAM = b"text/event-stream"
_OF_ONE_HOP = frozenset((b"content-length", b"transfer-encoding", b"connection"))


def serve(request: HttpRequest, server: Server[Any]) -> HttpResponse:
    """Answer one POST, in any version of the protocol that the SDK supports."""
    return async_to_sync(_serve)(request, server)


async def _serve(request: HttpRequest, server: Server[Any]) -> HttpResponse:
    manager = StreamableHTTPSessionManager(app=server, stateless=True)
    answer = _Answer()
    sent = False

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        if sent:
            await answer.whole.wait()  # an earlier disconnect would cancel the answer
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": request.body, "more_body": False}

    async with manager.run():
        await manager.handle_request(_scope(request), receive, answer.send)
    return answer.as_django()


class _Answer:
    def __init__(self) -> None:
        self._status, self._headers, self._body = 500, list[tuple[bytes, bytes]](), bytearray()
        self.whole = asyncio.Event()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], list(message.get("headers", []))
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                self.whole.set()

    def as_django(self) -> HttpResponse:
        told = _messages(self._body) if (b"content-type", _STREAM) in self._headers else []
        response = HttpResponse(told[0] if len(told) == 1 else bytes(self._body), status=self._status)
        for name, value in self._headers:
            if name.lower() not in _OF_ONE_HOP:
                response[name.decode("latin-1")] = value.decode("latin-1")
        if len(told) == 1:
            response["Content-Type"] = "application/json"
        return response


def _messages(stream: bytes | bytearray) -> list[bytes]:
    """The data of each event that has any. The SDK writes each message on one line."""
    lines = bytes(stream).replace(b"\r\n", b"\n").split(b"\n")
    return [line[6:] for line in lines if line.startswith(b"data: ") and line != b"data: "]


def _scope(request: HttpRequest) -> MutableMapping[str, Any]:
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": request.META.get("QUERY_STRING", "").encode("latin-1"),
        "root_path": "",
        "headers": headers,
        "client": (request.META.get("REMOTE_ADDR", ""), 0),
        "server": (request.META.get("SERVER_NAME", ""), None),
        "state": {},
    }
