"""Read a request's body before it needs a thread: into memory if it is small, otherwise to disk."""

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

IN_MEMORY = 1_048_576  # bytes; larger ones are on disk
SECONDS, BYTES_A_SECOND = 30.0, 65_536  # the time for any body, and in addition the lowest speed
_STOP_SECONDS = 2.0  # for a body that has not arrived when the server stops
_LEFT_SECONDS, _SILENCE_SECONDS = 10.0, 1.0  # for which the rest of a refused body is taken; waited for
# Paths of files and archives: long work, and the only bodies beyond MAX_BODY_BYTES.
_BULK = re.compile(r"^/(v1|admin-ui)/.*/(import|export|documents)/?$|^/git/.*/git-(upload|receive)-pack$")

REPLIES = frozenset({"/v1/chat/completions", "/v1/responses"})  # paths of calls that have a companion reply


class Refused(Exception):
    """A request is refused before Django sees it, or its answer can't be sent: with status, code and a sentence."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


def is_bulk(path: str) -> bool:
    return _BULK.search(path) is not None


def may_be_large(path: str) -> bool:
    """Return whether bodies beyond MAX_BODY_BYTES are accepted: for files and archives, and for images in a chat."""
    return is_bulk(path) or path in REPLIES


def time_for(length: int) -> float:
    """How many seconds a body of `length` bytes may take to arrive."""
    return SECONDS + length / BYTES_A_SECOND


class Bodies:
    """Reads bodies. Once the server stops, it waits a moment for those that have not arrived, and no longer."""

    def __init__(self) -> None:
        self._waits: set[asyncio.Timeout] = set()
        self._stops = False

    def stop(self) -> None:
        """Call it on the event loop."""
        self._stops = True
        ends = asyncio.get_running_loop().time() + _STOP_SECONDS
        for wait in self._waits:
            if not wait.expired():
                wait.reschedule(min(ends, wait.when() or ends))

    async def read(self, receive: Receive, *, length: int | None, limit: int, seconds: float) -> IO[bytes]:
        """Read the whole body into a file at its beginning. `length`: Content-Length; None: it comes in chunks.

        Raises Refused.
        """
        if length == 0:
            return BytesIO()
        try:
            async with asyncio.timeout(min(seconds, _STOP_SECONDS) if self._stops else seconds) as wait:
                self._waits.add(wait)
                try:
                    return await _read(receive, length, limit)
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            if self._stops:
                raise Refused(503, "unavailable", "The server stops. Send it again.") from None
            detail = f"The body did not arrive within {seconds:.0f} s. Send it again."
            raise Refused(408, "too_slow", detail) from None


async def throw_away(receive: Receive) -> None:
    """Read and discard the rest of a refused body, unless the client falls silent. Most clients read the answer only
    after sending everything, and would never see it if they were cut off.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_LEFT_SECONDS):
            more = True
            while more:
                more = (await asyncio.wait_for(receive(), _SILENCE_SECONDS)).get("more_body", False)


async def _read(receive: Receive, length: int | None, limit: int) -> IO[bytes]:
    """Read a body. It ends at its length; waiting for the server's final message would cost as much again. Of one that
    is too long, read little more than `limit`, for the view to refuse.
    """
    message = await receive()
    if message["type"] == "http.request" and length is not None and len(message["body"]) == length <= limit:
        return BytesIO(message["body"])  # nearly always
    body: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - whoever answers closes it
    taken = 0
    try:
        while True:
            if message["type"] != "http.request":
                # The client has left, or it is still there, and sent invalid HTTP.
                raise Refused(400, "malformed_body", "The body broke off before its end.")
            part = message.get("body", b"")
            taken += len(part)
            body.write(part)
            if taken > limit or taken == length or not message.get("more_body"):
                body.seek(0)
                return body
            message = await receive()
    except BaseException:
        body.close()
        raise
