"""Server-sent events. The web server keeps a silent stream alive (web.server.sending)."""

from collections.abc import Iterable
from typing import Any

import orjson
from django.http import StreamingHttpResponse

STREAM = "text/event-stream"
NOTHING = b""  # a part for nobody to see, with which a stream that waits ends if its client has left


def event_of(name: str, data: Any, *, number: object) -> bytes:
    """An event of this name; `number`: its ID, from which a client that reconnects goes on."""
    told = orjson.dumps(data, default=str, option=orjson.OPT_UTC_Z)
    return f"id: {number}\nevent: {name}\ndata: ".encode() + told + b"\n\n"


def event_stream(events: Iterable[bytes]) -> StreamingHttpResponse:
    """A stream of events, which proxies may neither keep nor buffer."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # the second is nginx's
    return StreamingHttpResponse(events, content_type=STREAM, headers=headers)
