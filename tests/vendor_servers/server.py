"""A threaded HTTP server on loopback that answers by script; a vendor adds only its envelopes.

In a test it is a context manager. Run alone, it is controlled over HTTP:

    POST   /_control/script     an item or a list of items
    DELETE /_control/script     forget the items and the requests
    GET    /_control/requests   the requests so far, oldest first
    GET    /_control/asked      {"asked": n}
    POST   /_control/latency    {"seconds": 0.2}, before every answer
"""

import argparse
import json
import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from tests.vendor_servers.script import Item, Responder, Script, Seen


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    body: dict[str, Any] | list[Any] | str
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool | str = False
    drip: float = 0.0
    drip_head: bool = False
    events: Sequence[str] | None = None  # of a stream, instead of the body
    manner: dict[str, Any] = field(default_factory=dict)  # pause, stall, break: script.py


class VendorServer(ABC):
    """`respond(body)` returns the item if the script has none; `key` is the only key accepted."""

    base_path: ClassVar[str] = ""

    def __init__(
        self,
        *,
        port: int = 0,
        key: str | None = None,
        respond: Responder | None = None,
        latency: float = 0.0,
        keep: int = 1000,
    ) -> None:
        self.key = key
        self.respond = respond
        self.latency = latency
        self.script = Script(keep=keep)
        self.push = self.script.push
        self.clear = self.script.clear
        self.stopping = threading.Event()
        self.connected = 0  # how often a client has made a connection
        self._http = _HTTPServer(("127.0.0.1", port), self)
        self.hang_up = self._http.hang_up
        self.url = f"http://127.0.0.1:{self._http.server_port}{self.base_path}"

    @property
    def requests(self) -> list[Seen]:
        return self.script.requests

    @property
    def connections(self) -> list[socket.socket]:
        return list(self._http.connections)

    @property
    def asked(self) -> int:
        """How many requests came, including those no longer kept."""
        return self.script.asked

    @abstractmethod
    def speaks(self, path: str) -> bool:
        """Return whether the vendor has an endpoint at this path."""

    @abstractmethod
    def said(self, body: dict[str, Any]) -> str:
        """All texts that the model would read, joined."""

    @abstractmethod
    def refusal_of_key(self, headers: dict[str, str]) -> Item | None:
        """The failure for a missing or wrong key."""

    @abstractmethod
    def success(self, item: Item, seen: Seen) -> Reply:
        """The vendor's envelope around an answer."""

    @abstractmethod
    def failure(self, item: Item) -> Reply:
        """The vendor's envelope around an error."""

    def reply(self, seen: Seen) -> Reply:
        item = self.refusal_of_key(seen.headers)
        if item is None:
            item = self.script.take(seen) or (self.respond(seen.body) if self.respond else None) or {}
        delay = self.latency + item.get("delay", 0.0)
        if delay:
            self.stopping.wait(delay)
        if "raw" in item:
            form = {"Content-Type": item.get("content_type", "application/json")}
            reply = Reply(item.get("status", 200), item["raw"], form)
        elif "status" in item:
            reply = self.failure(item)
        elif "redirect" in item:
            reply = Reply(307, "", {"Location": item["redirect"]})
        else:
            reply = self.success(item, seen)
        manner = {name: item[name] for name in ("drop", "drip", "drip_head") if name in item}
        return replace(reply, **manner)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()

    def serve_forever(self) -> None:
        print(self.url, flush=True)
        self._http.serve_forever()


def run_alone(server: Callable[..., VendorServer]) -> None:
    """The command line of a vendor's server. Its first line of output is the base URL."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--respond", help="dotted path of a function from a request's body to a script item")
    parser.add_argument("--keep", type=int, default=1000, help="how many requests to keep for reading")
    options = parser.parse_args()
    respond = None
    if options.respond:
        module, _, name = options.respond.rpartition(".")
        respond = getattr(import_module(module), name)
    server(port=options.port, latency=options.latency, respond=respond, keep=options.keep).serve_forever()


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], vendor: VendorServer) -> None:
        super().__init__(address, _Handler)
        self.vendor = vendor
        self.connections: set[socket.socket] = set()

    def hang_up(self) -> None:
        """Close connections that clients keep alive, so that no thread outlives the server."""
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of clients that gave up."""


class _Handler(BaseHTTPRequestHandler):
    server: _HTTPServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)
        self.server.vendor.connected += 1

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        script = self.server.vendor.script
        if self.path == "/_control/requests":
            self._send(Reply(200, [seen.as_json() for seen in script.requests]))
        elif self.path == "/_control/asked":
            self._send(Reply(200, {"asked": script.asked}))
        else:
            self._send(self.server.vendor.failure({"status": 404}))

    def do_DELETE(self) -> None:
        self.server.vendor.clear()
        self._send(Reply(200, {}))

    def do_POST(self) -> None:
        vendor = self.server.vendor
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        try:
            body = json.loads(raw)
        except ValueError:
            self._send(vendor.failure({"status": 400, "message": "The body is not JSON."}))
            return
        if path.startswith("/_control/"):
            self._send(self._control(path, body))
        elif not vendor.speaks(path):
            self._send(vendor.failure({"status": 404, "message": f"Nothing answers at {path}."}))
        else:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(vendor.reply(Seen(path=path, headers=headers, body=body, said=vendor.said(body))))

    def _control(self, path: str, body: Any) -> Reply:
        vendor = self.server.vendor
        if path == "/_control/latency":
            vendor.latency = float(body["seconds"])
            return Reply(200, {})
        try:
            vendor.push(*(body if isinstance(body, list) else [body]))
        except ValueError as error:
            return Reply(400, {"error": str(error)})
        return Reply(200, {})

    def _send(self, reply: Reply) -> None:
        if reply.drop is True or reply.drop == "reset":
            self._hang_up(hard=reply.drop == "reset")
            return
        if reply.events is not None:
            self._stream(reply.events, reply)
            return
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body, ensure_ascii=False)
        data = text.encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        if reply.drip:
            self._drip(data, reply)
            return
        self.end_headers()
        if reply.drop == "body":
            self.wfile.write(data[: len(data) // 2])
            self._hang_up()
            return
        self.wfile.write(data)
        self.wfile.flush()

    def _stream(self, events: Sequence[str], reply: Reply) -> None:
        """Send server-sent events, chunked."""
        self.send_response(reply.status)
        for name, value in {"Content-Type": "text/event-stream", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(events):
            if number == reply.manner.get("break"):
                self._hang_up()
                return
            if number == reply.manner.get("stall"):
                self.server.vendor.stopping.wait()
            if self.server.vendor.stopping.wait(reply.manner.get("pause", 0) if number else 0):
                self._hang_up()
                return
            data = f"data: {event}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if len(events) == reply.manner.get("stall") and self.server.vendor.stopping.wait():
            self._hang_up()
            return
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _drip(self, data: bytes, reply: Reply) -> None:
        """Send byte by byte, until the client gives up."""
        if not reply.drip_head:
            self.end_headers()
            self.wfile.flush()
            head = b""
        else:
            head = b"X-Waits: " + 10_000 * b"x" + b"\r\n\r\n"
            self.flush_headers()
        for byte in head + data:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.vendor.stopping.wait(reply.drip):
                return

    def _hang_up(self, *, hard: bool = False) -> None:
        self.close_connection = True
        self.wfile.flush()
        if hard:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
