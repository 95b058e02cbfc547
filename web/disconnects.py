"""End calls to other servers at once if the client that waits for the answer has left.

A thread that is blocked reading from a silent server can't be told, so its socket is shut down.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock

_present: ContextVar["Recipient | None"] = ContextVar("recipient", default=None)


class Recipient:
    """The client for which a thread makes an answer. Another thread calls `leave` when the client has left."""

    def __init__(self) -> None:
        self.has_left = False
        self._read_from: socket.socket | None = None
        self._lock = Lock()  # so that no socket is shut down that belongs to another call by now

    def leave(self) -> None:
        with self._lock:
            self.has_left = True
            if self._read_from is not None:
                _shut_down(self._read_from)

    @contextmanager
    def reading(self, source: socket.socket) -> Iterator[None]:
        """While the thread reads from this socket, shut it down as soon as the client leaves."""
        with self._lock:
            self._read_from = source
            if self.has_left:
                _shut_down(source)
        try:
            yield
        finally:
            with self._lock:
                self._read_from = None


@contextmanager
def made_for(recipient: Recipient) -> Iterator[None]:
    """Set the recipient of what this thread makes in the block."""
    token = _present.set(recipient)
    try:
        yield
    finally:
        _present.reset(token)


def recipient() -> Recipient | None:
    """The recipient of what this thread makes, if there is one."""
    return _present.get()


def nobody_waits() -> bool:
    """Return whether the recipient has left."""
    present = _present.get()
    return present is not None and present.has_left


def _shut_down(source: socket.socket) -> None:
    with suppress(OSError):  # in case it ended by itself
        # Not a TLS socket's own method, which would disturb its reader.
        socket.socket.shutdown(source, socket.SHUT_RDWR)
