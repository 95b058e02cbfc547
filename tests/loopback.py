"""A server on loopback, in a thread of the test, as a context manager."""

import threading
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import Any, Self


class Loopback(ThreadingHTTPServer):
    """Listens on a free port, unless one is given. It stops at once, unlike http.server, which polls twice a second."""

    def __init__(self, handler: Callable[..., Any], *, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()
