"""The load generator: a process of its own, without Django.

It reads a Load as JSON from standard input and writes the answers' times to standard output. One thread keeps every
connection busy: the next request is sent as soon as an answer is complete. It reports its own CPU time, to show that it
was not the bottleneck.
"""

import json
import os
import re
import selectors
import socket
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from math import inf
from time import perf_counter, process_time
from typing import Any

from config.priority import lower_session_priority

_NICE = 10
_LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)", re.IGNORECASE)
_MOST_BYTES = 262_144  # of one read
_SILENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Load:
    """Whole requests as text, sent in turn over `connections`, for `seconds` or until `count` were sent.

    `hold`: each connection sends only one request. `marks`: texts that every answer contains; the time of the first one
    is noted, and an answer without one of them counts as status 0.
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
    """A kept connection with at most one request in flight."""

    def __init__(self, load: Load) -> None:
        self.socket = socket.create_connection((load.host, load.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._marks = [mark.encode() for mark in load.marks]
        self._read = bytearray()

    def send(self, request: bytes) -> None:
        self._read.clear()
        self._length = 0  # of the whole answer in bytes; -1: a stream; 0: its head is not complete yet
        self.marked_at: float | None = None
        self.sent_at = perf_counter()
        self.socket.sendall(request)

    def receive(self) -> int | None:
        """Read what has arrived. Return the status once the answer is complete. Raises ConnectionError."""
        part = self.socket.recv(_MOST_BYTES)
        if not part:
            raise ConnectionError("the server closed a connection amid an answer")
        self._read += part
        if self._marks and self.marked_at is None and self._marks[0] in self._read:
            self.marked_at = perf_counter()
        if not self._length:
            head = self._read.find(b"\r\n\r\n")
            if head < 0:
                return None
            length = _LENGTH.search(self._read, 0, head + 2)
            self._length = head + 4 + int(length[1]) if length else -1
        streamed = self._length < 0
        if not (self._read.endswith(b"0\r\n\r\n") if streamed else len(self._read) >= self._length):
            return None
        return int(self._read[9:12]) if all(mark in self._read for mark in self._marks) else 0


def generate(load: Load) -> dict[str, Any]:
    """Send the requests. Return the fields of benchmarks.client.Answers."""
    milliseconds, firsts, statuses = list[float](), list[float](), Counter[int]()
    requests = cycle([text.encode() for text in load.requests])
    left = load.count or sys.maxsize
    selector = selectors.DefaultSelector()
    connections = [Connection(load) for _ in range(load.connections)]
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    began, cpu = perf_counter(), process_time()
    end = began + (load.seconds or inf)

    def send(connection: Connection) -> bool:
        """Send the next request; False if the time is over or all were sent."""
        nonlocal left
        if not left or perf_counter() >= end:
            return False
        left -= 1
        connection.send(next(requests))
        return True

    in_flight = sum(map(send, connections))
    while in_flight:
        ready = selector.select(_SILENCE_SECONDS)
        if not ready:
            raise TimeoutError(f"no answer for {_SILENCE_SECONDS:g} seconds")
        for key, _ in ready:
            connection = key.data
            status = connection.receive()
            if status is None:
                continue
            milliseconds.append((perf_counter() - connection.sent_at) * 1000)
            if connection.marked_at is not None:
                firsts.append((connection.marked_at - connection.sent_at) * 1000)
            statuses[status] += 1
            in_flight -= load.hold or not send(connection)
    return {
        "seconds": perf_counter() - began,
        "cpu_seconds": process_time() - cpu,
        "milliseconds": milliseconds,
        "firsts": firsts,
        "statuses": statuses,
    }


def give_way() -> None:
    """Give this process, which stands for another machine, a low priority, in a session of its own."""
    with suppress(PermissionError):  # it leads its group of processes already
        os.setsid()
    os.nice(_NICE)
    lower_session_priority(_NICE)


if __name__ == "__main__":
    given = Load(**json.load(sys.stdin))
    if given.hold:  # they mostly wait
        give_way()
    json.dump(generate(given), sys.stdout)
