"""Send an answer at the client's own pace, without occupying a thread of the pool."""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import IO

import structlog

from config import tracing
from web.server.admission import Client, Places
from web.server.body import Message, Receive, Refused, throw_away
from web.server.call import Answer, Headers

log = structlog.get_logger(__name__)

Send = Callable[[Message], Awaitable[None]]

LARGE_EACH, LARGE_TOGETHER = 4, 16  # answers that are on disk: of one client, of all
_PART = 65_536  # bytes of a large answer that are sent at once
_PART_SECONDS = 30.0  # in which a client must take them
_PARTS_AHEAD = 16  # of a stream, that its thread may be ahead of the client
_KEEP_ALIVE_SECONDS = 12.0  # of a stream's silence, before a comment: proxies close silent connections
_KEEP_ALIVE = b": it goes on\n\n"


class Sender:
    def __init__(self, *, streams: int) -> None:
        self._large = Places(each=LARGE_EACH, together=LARGE_TOGETHER)
        self._streams = Places(each=max(1, streams // 4), together=streams)

    async def send(
        self, answer: Answer, *, client: Client, receive: Receive, send: Send, unread: bool = False
    ) -> None:
        """Send an answer. `unread`: the request's body was not read to its end. Raises Refused, before it sends."""
        if answer.file is not None:
            with answer.file as file:
                await self._file(answer, file, client, send)
        elif answer.stream is not None:
            await self._stream(answer, client, receive, send)
        elif unread:
            await send(_start(replace(answer, headers=_without_length(answer.headers))))
            await send({"type": "http.response.body", "body": answer.body, "more_body": True})
            await throw_away(receive)
            await send({"type": "http.response.body", "body": b""})
        else:
            await send(_start(answer))
            await send({"type": "http.response.body", "body": answer.body})

    async def _file(self, answer: Answer, file: IO[bytes], client: Client, send: Send) -> None:
        """Send a file part by part, each when the one before was taken. It gives up if a client takes none for long."""
        if not self._large.take(client):
            detail = f"At most {LARGE_EACH} large answers are sent at once. Read those first."
            raise Refused(429, "too_many_at_once", detail)
        try:
            await send(_start(answer))
            while part := file.read(_PART):
                async with asyncio.timeout(_PART_SECONDS):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            return
        finally:
            self._large.give_back(client)

    async def _stream(self, answer: Answer, client: Client, receive: Receive, send: Send) -> None:
        """Run a stream in a thread, until the application ends it or the client leaves."""
        stream = _Stream(answer, asyncio.get_running_loop(), send)
        if answer.runner is not None:
            answer.runner(stream.run)
            await self._attend(stream, receive)
            return
        if not self._streams.take(client):
            await asyncio.to_thread(stream.close)
            detail = "As many streams are open as this server allows. Try again later."
            raise Refused(503, "too_many_at_once", detail)
        try:
            threading.Thread(target=tracing.carried(stream.run), name="stream", daemon=True).start()
            await self._attend(stream, receive)
        finally:
            self._streams.give_back(client)

    async def _attend(self, stream: "_Stream", receive: Receive) -> None:
        """Attend a stream until it ends, and notice if the client leaves."""
        gone = asyncio.ensure_future(until_gone(receive))
        handing = asyncio.ensure_future(stream.hand_over())
        await asyncio.wait((gone, handing, stream.ended), return_when=asyncio.FIRST_COMPLETED)
        if not gone.done():
            await asyncio.wait((gone, handing), timeout=_PART_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        stream.leave()
        await stream.ended
        for one in (gone, handing):
            one.cancel()
        await asyncio.gather(gone, handing, return_exceptions=True)


class _Stream:
    """Reads the application's iterator in a thread, and sends on the event loop what has accumulated. The thread is at
    most _PARTS_AHEAD parts ahead of its client.
    """

    def __init__(self, answer: Answer, loop: asyncio.AbstractEventLoop, send: Send) -> None:
        self._answer, self._loop, self._send = answer, loop, send
        self._left = threading.Event()
        self.ended: asyncio.Future[None] = loop.create_future()
        self._parts: deque[bytes] = deque()  # read, and not yet sent
        self._room = threading.Semaphore(_PARTS_AHEAD)
        self._news = asyncio.Event()
        self._whole = False

    def run(self) -> None:
        """Run the stream. Called in the thread."""
        assert self._answer.stream is not None
        try:
            for part in self._answer.stream:
                if part and not self._room.acquire(timeout=_PART_SECONDS):
                    raise TimeoutError
                if self._left.is_set():
                    return
                if not part:
                    continue
                self._parts.append(part)
                self._loop.call_soon_threadsafe(self._news.set)
            self._whole = True
        except Exception as error:
            log.warning("a stream broke off", event_name="web.stream.broken", exc_info=error)
        finally:
            try:
                self.close()
            finally:
                self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
        self._news.set()

    def close(self) -> None:
        """Close the application's iterator, which releases its resources."""
        close = getattr(self._answer.stream, "close", None)
        if close is not None:
            close()

    def leave(self) -> None:
        """Note that the client left: the thread ends with the next part, or with what it waits for."""
        self._left.set()
        if self._answer.leave is not None:
            self._answer.leave()
        self._room.release(_PARTS_AHEAD)

    async def hand_over(self) -> None:
        """Send everything until the end, and a comment after a long silence. Called on the event loop."""
        await self._send(_start(self._answer))
        longest_silence = None  # in seconds; none before the first part, which a client may expect
        while self._parts or not self.ended.done():
            try:
                async with asyncio.timeout(longest_silence):
                    await self._news.wait()
            except TimeoutError:
                await self._send({"type": "http.response.body", "body": _KEEP_ALIVE, "more_body": True})
                continue
            self._news.clear()
            if count := len(self._parts):
                longest_silence = _KEEP_ALIVE_SECONDS
                body = b"".join(self._parts.popleft() for _ in range(count))
                await self._send({"type": "http.response.body", "body": body, "more_body": True})
                self._room.release(count)
        if self._whole:
            await self._send({"type": "http.response.body", "body": b""})


def _start(answer: Answer) -> Message:
    return {"type": "http.response.start", "status": answer.status, "headers": answer.headers}


def _without_length(headers: Headers) -> Headers:
    """Drop Content-Length, with which the server would consider the answer complete, and close the connection."""
    return [(name, value) for name, value in headers if name.lower() != b"content-length"]


async def until_gone(receive: Receive) -> None:
    """Wait until the client leaves. Its request must have been read to the end."""
    while (await receive())["type"] != "http.disconnect":
        pass
