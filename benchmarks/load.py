"""The load generator: a process of its own, with nothing of ours or of Django in it.

It reads a Load as JSON from its standard input and writes what came back to its standard output. One thread keeps
every connection busy: the next request leaves as soon as an answer is complete. It tells its own CPU time, so that
a reader can see that it was not the bottleneck.
"""

import json
import os
import re
import selectors
import socket
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

_LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)", re.IGNORECASE)
_ROOM = 262_144
_SILENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Load:
    """Whole requests as text, sent in turn by `connections`, for so many seconds or requests.

    `hold`: each connection sends one request, and none a second. `marks`: what stands in each answer. When the first of
    them came is noted; an answer that lacks one has the status 0.
    """

    host: str
    port: int
    requests: list[str]
    connections: int
    seconds: float | None = None
    count: int | None = None
    hold: bool = False
    marks: Sequence[str] = ()


class Connection:
    """One kept-alive connection with at most one request on its way."""

    def __init__(self, load: Load) -> None:
        self.socket = socket.create_connection((load.host, load.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._marks = [mark.encode() for mark in load.marks]
        self._heard = bytearray()

    def send(self, request: bytes) -> None:
        self._heard.clear()
        self._wanted = 0  # bytes of the whole answer; -1 of a stream; 0 while its head is not complete
        self.marked_at: float | None = None
        self.sent_at = perf_counter()
        self.socket.sendall(request)

    def hear(self) -> int | None:
        """The status once the answer is complete. Raises ConnectionError when the server hangs up."""
        part = self.socket.recv(_ROOM)
        if not part:
            raise ConnectionError("the server closed a connection amid an answer")
        self._heard += part
        if self._marks and self.marked_at is None and self._marks[0] in self._heard:
            self.marked_at = perf_counter()
        if not self._wanted:
            head = self._heard.find(b"\r\n\r\n")
            if head < 0:
                return None
            length = _LENGTH.search(self._heard, 0, head + 2)
            self._wanted = head + 4 + int(length[1]) if length else -1
        streamed = self._wanted < 0
        whole = self._heard.endswith(b"0\r\n\r\n") if streamed else len(self._heard) >= self._wanted
        if not whole:
            return None
        return int(self._heard[9:12]) if all(mark in self._heard for mark in self._marks) else 0


class Generator:
    """Sends the requests in turn and notes, of each, how long it took, when its first mark came, and its status."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._requests = [text.encode() for text in load.requests]
        self._next = 0
        self._selector = selectors.DefaultSelector()
        self.milliseconds: list[float] = []
        self.firsts: list[float] = []
        self.statuses = Counter[int]()

    def run(self) -> dict[str, Any]:
        connections = [Connection(self._load) for _ in range(self._load.connections)]
        for connection in connections:
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        began, cpu = perf_counter(), process_time()
        until = began + self._load.seconds if self._load.seconds else None
        on_their_way = sum(self._send(connection, until) for connection in connections)
        while on_their_way:
            ready = self._selector.select(_SILENCE_SECONDS)
            if not ready:
                raise TimeoutError(f"no answer for {_SILENCE_SECONDS:g} seconds")
            for key, _ in ready:
                status = key.data.hear()
                if status is not None:
                    self._note(key.data, status)
                    on_their_way -= self._load.hold or not self._send(key.data, until)
        return {
            "seconds": perf_counter() - began,
            "cpu_seconds": process_time() - cpu,
            "milliseconds": self.milliseconds,
            "firsts": self.firsts,
            "statuses": self.statuses,
        }

    def _send(self, connection: Connection, until: float | None) -> bool:
        """Send the next request, unless the time or the requests are over."""
        if until is not None and perf_counter() >= until:
            return False
        if self._load.count is not None and self._next >= self._load.count:
            return False
        connection.send(self._requests[self._next % len(self._requests)])
        self._next += 1
        return True

    def _note(self, connection: Connection, status: int) -> None:
        self.milliseconds.append((perf_counter() - connection.sent_at) * 1000)
        if connection.marked_at is not None:
            self.firsts.append((connection.marked_at - connection.sent_at) * 1000)
        self.statuses[status] += 1


if __name__ == "__main__":
    given = Load(**json.load(sys.stdin))
    os.nice(10 if given.hold else 0)  # those who wait are other machines' in earnest
    json.dump(Generator(given).run(), sys.stdout)
