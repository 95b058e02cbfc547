import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from benchmarks.client import Client


class Shop(BaseHTTPRequestHandler):
    """Says what it was asked, at length."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(404 if said["wanted"] == "nothing" else 200)
        self.send_header("Content-Length", "300000")
        self.end_headers()
        self.wfile.write(b"x" * 300_000)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def client() -> Iterator[Client]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield Client("127.0.0.1", server.server_port, "a key")
        server.shutdown()


def test_so_many_requests_are_sent_and_each_answer_is_read_to_its_end(client: Client) -> None:
    tea, nothing = (client.request("POST", "/", {"wanted": wanted}) for wanted in ("tea", "nothing"))

    answers = client.drive([tea, tea, nothing], connections=2, count=9)

    assert answers.statuses == {200: 6, 404: 3}
    assert len(answers.milliseconds) == 9 and 0 < answers.p50 <= answers.p99
    assert answers.per_second == 9 / answers.seconds


def test_a_load_ends_when_its_time_is_over(client: Client) -> None:
    answers = client.drive([client.request("POST", "/", {"wanted": "tea"})], connections=2, seconds=0.2)

    assert answers.seconds < 5 and answers.statuses.keys() == {200}


def test_answers_of_errors_are_no_measurement(client: Client) -> None:
    answers = client.drive([client.request("POST", "/", {"wanted": "nothing"})], connections=1, count=1)

    with pytest.raises(AssertionError, match="404"):
        answers.require(200)
