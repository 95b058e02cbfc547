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
from itertools import cycle
from math import inf
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


def generate(load: Load) -> dict[str, Any]:
    """Send the requests in turn, and note how long each took, when its first mark came, and its status."""
    milliseconds, firsts, statuses = list[float](), list[float](), Counter[int]()
    requests = cycle([text.encode() for text in load.requests])
    left = load.count or sys.maxsize
    selector = selectors.DefaultSelector()
    connections = [Connection(load) for _ in range(load.connections)]
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    began, cpu = perf_counter(), process_time()
    until = began + (load.seconds or inf)

    def send(connection: Connection) -> bool:
        """The next request, unless the time or the requests are over."""
        nonlocal left
        if not left or perf_counter() >= until:
            return False
        left -= 1
        connection.send(next(requests))
        return True

    on_their_way = sum(map(send, connections))
    while on_their_way:
        ready = selector.select(_SILENCE_SECONDS)
        if not ready:
            raise TimeoutError(f"no answer for {_SILENCE_SECONDS:g} seconds")
        for key, _ in ready:
            connection = key.data
            status = connection.hear()
            if status is None:
                continue
            milliseconds.append((perf_counter() - connection.sent_at) * 1000)
            if connection.marked_at is not None:
                firsts.append((connection.marked_at - connection.sent_at) * 1000)
            statuses[status] += 1
            on_their_way -= load.hold or not send(connection)
    return {
        "seconds": perf_counter() - began,
        "cpu_seconds": process_time() - cpu,
        "milliseconds": milliseconds,
        "firsts": firsts,
        "statuses": statuses,
    }


if __name__ == "__main__":
    given = Load(**json.load(sys.stdin))
    os.nice(10 if given.hold else 0)  # those who wait are other machines' in earnest
    json.dump(generate(given), sys.stdout)
