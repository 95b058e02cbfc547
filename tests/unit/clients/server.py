"""A server on loopback that gives scripted answers, one after the other, and stores requests."""

import json
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from time import monotonic
from typing import Any

from tests.loopback import Loopback


@dataclass
class Told:
    """`text`: of a body as it is, else `body` as JSON. `drop`: hang up without a word."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    text: str | None = None
    drop: bool = False


@dataclass(frozen=True)
class Asked:
    at: float
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Server(Loopback):
    def __init__(self, *answers: Told) -> None:
        self.answers, self.asked = deque(answers), list[Asked]()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = (
                65_536  # head and body in one piece: else the second waits for the first to be acknowledged
            )

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.asked.append(Asked(monotonic(), self.command, self.path, headers, body))
                told = server.answers.popleft() if server.answers else Told()
                if told.drop:
                    self.close_connection = True
                    return
                raw = (json.dumps(told.body) if told.text is None else told.text).encode()
                self.send_response(told.status)
                for name, value in {"Content-Type": "application/json", **told.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
                self.wfile.flush()

            def log_message(self, *words: object) -> None:
                pass

        super().__init__(Handler)
