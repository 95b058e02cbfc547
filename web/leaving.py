"""A client may leave before its answer is ready. Then calls of other servers for that answer end at once.

A thread that is blocked reading from a silent server can't be told, so its socket is shut down.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock

_present: ContextVar["Recipient | None"] = ContextVar("recipient", default=None)


class Recipient:
    """The client that waits for what one thread makes. Another thread calls `leave` when the client has left."""

    def __init__(self) -> None:
        self.has_left = False
        self._read_from: socket.socket | None = None
        self._lock = Lock()  # so that no socket is shut down that is another call's already

    def leave(self) -> None:
        with self._lock:
            self.has_left = True
            if self._read_from is not None:
                _shut_down(self._read_from)

    @contextmanager
    def reading(self, source: socket.socket) -> Iterator[None]:
        """While the thread reads from it: it reads the end as soon as nobody waits."""
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
    """What this thread makes in the block is for that recipient."""
    token = _present.set(recipient)
    try:
        yield
    finally:
        _present.reset(token)


def recipient() -> Recipient | None:
    """Who waits, where that is known."""
    return _present.get()


def nobody_waits() -> bool:
    """Whether the recipient has left."""
    present = _present.get()
    return present is not None and present.has_left


def _shut_down(source: socket.socket) -> None:
    with suppress(OSError):  # it ended by itself
        # Not a TLS socket's own way, which its reader would trip over.
        socket.socket.shutdown(source, socket.SHUT_RDWR)
