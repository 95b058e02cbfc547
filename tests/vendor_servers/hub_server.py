"""A local model hub: gives the files of a folder as the real one does, and counts what it was asked."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

COMMIT = "0" * 40


class HubServer:
    """`models` maps a model's name to the folder with its files. While `failing`, every answer is a 503."""

    def __init__(self, models: dict[str, Path]) -> None:
        self.models = models
        self.asked: list[str] = []
        self.failing = False
        self._http = _HTTPServer(("127.0.0.1", 0), self)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], hub: HubServer) -> None:
        super().__init__(address, _Handler)
        self.hub = hub


class _Handler(BaseHTTPRequestHandler):
    server: _HTTPServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        hub = self.server.hub
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
