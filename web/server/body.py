"""Reads a request's body before a thread is needed: into memory if it is small, else to the disk."""

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

IN_MEMORY = 1_048_576  # bytes; what is larger waits on the disk
SECONDS, BYTES_A_SECOND = 30.0, 65_536  # a body may take so long, and a large one as long as this pace needs
_LEFT_SECONDS, _SILENCE_SECONDS = (
    10.0,
    1.0,
)  # for which the rest of a body that was refused is taken; waited for
# Where files and archives come and go: long work, and the only bodies beyond MAX_BODY_BYTES.
_BULK = re.compile(r"^/(v1|admin-ui)/.*/(import|export|documents)/?$|^/git/.*/git-(upload|receive)-pack$")

CHAT = "/v1/chat/completions"


class BodyTooSlow(Exception):
    """It did not arrive in its time."""


class BodyTooLarge(Exception):
    """It came in pieces, without saying how long it would be, and was longer than anything we take."""


class ClientGone(Exception):
    """Nobody is left to answer."""


def is_bulk(path: str) -> bool:
    return _BULK.search(path) is not None


def may_be_large(path: str) -> bool:
    """Whether bodies beyond MAX_BODY_BYTES are taken: of files and archives, and of pictures in a chat."""
    return is_bulk(path) or path == CHAT


def time_for(length: int) -> float:
    """Seconds in which a body of so many bytes has to arrive."""
    return SECONDS + length / BYTES_A_SECOND


async def read_body(receive: Receive, *, length: int | None, limit: int, seconds: float) -> IO[bytes]:
    """The whole body, at its beginning. `length`: as its sender says; None, it comes in pieces.

    Raises BodyTooSlow, BodyTooLarge, ClientGone.
    """
    if length == 0:
        return BytesIO()
    try:
        async with asyncio.timeout(seconds):
            return await _read(receive, length, limit)
    except TimeoutError:
        raise BodyTooSlow from None


async def throw_away(receive: Receive) -> None:
    """The rest of a body that nobody wants, unless its sender falls silent: most look for an answer when they have sent
    all, and one who was cut off before never sees it.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_LEFT_SECONDS):
            more = True
            while more:
                more = (await asyncio.wait_for(receive(), _SILENCE_SECONDS)).get("more_body", False)


async def _read(receive: Receive, length: int | None, limit: int) -> IO[bytes]:
    """It has ended where it is as long as it was to be: the server says so in a message more, which costs as much."""
    message = await receive()
    if message["type"] == "http.request" and length is not None and len(message["body"]) == length <= limit:
        return BytesIO(message["body"])  # nearly always
    body: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - whoever answers closes it
    taken = 0
    try:
        while True:
            if message["type"] != "http.request":
                raise ClientGone
            part = message.get("body", b"")
            taken += len(part)
            if taken > limit:
                raise BodyTooLarge
            body.write(part)
            if taken == length or not message.get("more_body"):
                body.seek(0)
                return body
            message = await receive()
    except BaseException:
        body.close()
        raise
