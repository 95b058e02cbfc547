"""A local model hub: it serves the files of a folder like the real one, and counts requests."""

import hashlib
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.loopback import Loopback

COMMIT = "0" * 40


class HubServer(Loopback):
    """`models` maps a model's name to the folder with its files. While `failing`, every answer is a 503."""

    def __init__(self, models: dict[str, Path]) -> None:
        self.models = models
        self.asked: list[str] = []
        self.failing = False
        super().__init__(_Handler)


class _Handler(BaseHTTPRequestHandler):
    server: HubServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        hub = self.server
        hub.asked.append(self.path)
        name, _, rest = self.path.lstrip("/").partition("/resolve/")
        if hub.failing:
            self._refuse(503, "")
        elif name not in hub.models:
            self._refuse(404, "RepoNotFound")
        elif not (file := hub.models[name] / rest.partition("/")[2]).is_file():
            self._refuse(404, "EntryNotFound")
        else:
            self._give(file.read_bytes(), with_body=with_body)

    def _give(self, content: bytes, *, with_body: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", "0")
        self.end_headers()
