"""A time limit for a whole call to another server: a timeout for each read is not enough, as bytes may trickle in.

HTTP clients limit each read by itself. `bind` makes a client's network respect the deadline, too, from connecting to
the last byte of the answer. It also ends the call if nobody waits for the answer any more (web.disconnects), or if the
answer is far too long, as clients keep it in memory.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore2
import httpx2

from web.disconnects import nobody_waits, recipient

LARGEST_ANSWER = 32_000_000  # bytes; a hundred vectors of 4,096 numbers are 8 million


@dataclass(slots=True)
class _Limits:
    ends_at: float  # monotonic seconds
    bytes_left: int = LARGEST_ANSWER


_limits: ContextVar[_Limits | None] = ContextVar("limits", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End calls in this block, by clients that are bound, after so many seconds (httpx2.TimeoutException), or after
    LARGEST_ANSWER bytes altogether (httpx2.ReadError).
    """
    token = _limits.set(_Limits(time.monotonic() + seconds))
    try:
        yield
    finally:
        _limits.reset(token)


def is_over() -> bool:
    """Return whether the deadline has passed."""
    left = seconds_left()
    return left is not None and left <= 0


def seconds_left() -> float | None:
    """Return the seconds until the deadline, less than 0 after it; None: there is none."""
    limits = _limits.get()
    return None if limits is None else limits.ends_at - time.monotonic()


def bind(client: httpx2.Client) -> None:
    """Make the client's calls respect the deadline. There is no public name for its network."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            pool: Any = transport._pool
            pool._network_backend = DeadlineBackend(pool._network_backend)


def _counted(received: bytes) -> bytes:
    limits = _limits.get()
    if limits is not None:
        limits.bytes_left -= len(received)
        if limits.bytes_left < 0:
            raise httpcore2.ReadError(f"the answer is longer than {LARGEST_ANSWER} bytes")
    return received


def _within(timeout: float | None, overrun: type[Exception]) -> float | None:
    """The shorter of a timeout and the time left. Raises `overrun`; NetworkError if nobody waits any more."""
    if nobody_waits():
        raise httpcore2.NetworkError("Nobody waits for the answer any more.")
    left = seconds_left()
    if left is None:
        return timeout
    if left <= 0:
        raise overrun("The deadline of the call has passed.")
    return left if timeout is None else min(timeout, left)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        seconds, waits = _within(timeout, httpcore2.ReadTimeout), recipient()
        if waits is None:
            return _counted(self._stream.read(max_bytes, seconds))
        with waits.reading(self._stream.get_extra_info("socket")):
            return _counted(self._stream.read(max_bytes, seconds))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _within(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = _within(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class DeadlineBackend(httpcore2.NetworkBackend):
    """A network whose every wait ends with the deadline."""

    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        left = _within(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._backend.connect_tcp(host, port, left, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)
