"""MCP's Streamable HTTP over Django: one POST is one exchange with the official SDK, without sessions.

The SDK is asynchronous and runs on its own event loop in the request's thread. It answers with a stream. If the stream
has a single message, as for all our tools, the client gets it as plain JSON.
"""

from typing import Any

import httpx2
from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_OF_ONE_HOP = frozenset(("content-length", "transfer-encoding", "connection"))


def serve(request: HttpRequest, server: Server[Any]) -> HttpResponse:
    """Answer one POST, in any version of the protocol that the SDK supports."""
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()]
    # The address means nothing, as Host is among the headers.
    asked = httpx2.Request("POST", "http://here/mcp", headers=headers, content=request.body)
    answer = async_to_sync(_serve)(asked, server)
    told = _messages(answer.content) if answer.headers.get("content-type") == "text/event-stream" else []
    response = HttpResponse(told[0] if len(told) == 1 else answer.content, status=answer.status_code)
    for name, value in answer.headers.items():
        if name not in _OF_ONE_HOP:
            response[name] = value
    if len(told) == 1:
        response["Content-Type"] = "application/json"
    return response


async def _serve(request: httpx2.Request, server: Server[Any]) -> httpx2.Response:
    manager = StreamableHTTPSessionManager(app=server, stateless=True)
    async with manager.run():
        answer = await httpx2.ASGITransport(manager.handle_request).handle_async_request(request)
        await answer.aread()
    return answer


def _messages(stream: bytes) -> list[bytes]:
    """The data of each event that has any. The SDK writes each message on one line."""
    lines = stream.replace(b"\r\n", b"\n").split(b"\n")
    return [line[6:] for line in lines if line.startswith(b"data: ") and line != b"data: "]
