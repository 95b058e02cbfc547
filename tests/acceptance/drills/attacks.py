"""What hostile clients do to a server. Each attack lasts until its block ends, and only targets loopback."""

import json
import selectors
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_STEP_SECONDS = 0.5


@contextmanager
def dripping(url: str, head: bytes, *, sockets: int, drip: bytes = b"x") -> Iterator[None]:
    """Open `sockets` connections that begin a request with `head` and then send a byte now and then."""
    connections = [_connect(url) for _ in range(sockets)]
    for connection in connections:
        connection.sendall(head)

    def step() -> None:
        for connection in connections:
            with suppress(OSError):  # the server gave up
                connection.send(drip)

    with _repeated(step):
        yield
    _close(connections)


@contextmanager
def reading_slowly(url: str, request: bytes, *, sockets: int) -> Iterator[Counter[bytes]]:
    """Open `sockets` connections that request a large answer and read a little now and then. Counts first lines."""
    heard: Counter[bytes] = Counter()
    connections = [_connect(url, room=4096) for _ in range(sockets)]
    selector = selectors.DefaultSelector()
    for connection in connections:
        connection.sendall(request)
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ)
    begun: set[socket.socket] = set()

    def step() -> None:
        for key, _ in selector.select(0):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            with suppress(OSError):
                part = connection.recv(1024)
                if connection not in begun:
                    begun.add(connection)
                    heard[part.partition(b"\r\n")[0]] += 1
                if not part:
                    selector.unregister(connection)

    with _repeated(step):
        yield heard
    _close(connections)


@contextmanager
def sending(
    url: str, path: str, key: str, content: bytes, *, at_once: int, statuses: Counter[int]
) -> Iterator[None]:
    """Run `at_once` clients that post this body repeatedly, with as little own work as possible."""
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {key}")
    more = ("Content-Type: application/json", f"Content-Length: {len(content)}", "Connection: close", "", "")
    head, stop = "\r\n".join([*lines, *more]).encode(), threading.Event()

    def go_on() -> None:
        while not stop.is_set():
            with _connect(url, patience=120) as connection:
                with suppress(OSError):  # refused before everything was sent
                    connection.sendall(head)
                    connection.sendall(content)
                with suppress(OSError):
                    answer = connection.recv(64)
                    statuses[int(answer[9:12] or 0)] += 1

    threads = [threading.Thread(target=go_on, daemon=True) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=150)


def repeated_names(size: int) -> bytes:
    """A body of about `size` bytes with one object of as many members as fit, with only two different names."""
    members = ('"a":1,"b":1,' * (size // 12))[:-1]
    return f"{{{members}}}".encode()


def hostile_archive(size: int) -> bytes:
    """An archive of about `size` bytes with entries that are all refused, each for a different reason."""
    entry = {
        "type": "preference",
        "content": "x" * 9000,
        "effective_at": "garbage",
        "tags": {"a": ["b"] * 50},
    }
    count = size // len(json.dumps(entry))
    return json.dumps({"format": "rapport.relationship", "version": 1, "entries": [entry] * count}).encode()


def archive_wrong_at_its_end(size: int) -> bytes:
    """An archive of about `size` bytes with as many entries as fit, of which only the last is refused."""
    entries = [{"type": "preference", "content": f"{number:08}"} for number in range(size // 45)]
    document = {"format": "rapport.relationship", "version": 1, "entries": [*entries, {"type": "preference"}]}
    return json.dumps(document).encode()


def _connect(url: str, *, room: int | None = None, patience: float = 10) -> socket.socket:
    address = urlsplit(url)
    assert address.hostname == "127.0.0.1"
    assert address.port is not None
    connection = socket.socket()
    if room is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    connection.settimeout(patience)
    connection.connect((address.hostname, address.port))
    return connection


@contextmanager
def _repeated(step: Callable[[], None]) -> Iterator[None]:
    stop = threading.Event()

    def go_on() -> None:
        while not stop.wait(_STEP_SECONDS):
            step()

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _close(connections: list[socket.socket]) -> None:
    for connection in connections:
        connection.close()
