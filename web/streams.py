"""Server-sent events. The web server keeps a silent stream alive (web.server.sending)."""

from collections.abc import Iterable

from django.http import StreamingHttpResponse

STREAM = "text/event-stream"
NOTHING = b""  # a part for nobody to see, with which a stream that waits ends if its client has left


def event_stream(events: Iterable[bytes]) -> StreamingHttpResponse:
    """A stream of events, which proxies may neither keep nor buffer."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # the second is nginx's
    return StreamingHttpResponse(events, content_type=STREAM, headers=headers)
