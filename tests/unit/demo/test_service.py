import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from demo.errors import DemoFailed
from demo.service import (
    readiness,
    service,
    service_log,
    start_service,
    stop_service,
    wait_until_embedded,
)
from tests.loopback import Loopback

LOOPBACK = "127.0.0.1"


@pytest.fixture(autouse=True)
def place(settings: Settings, tmp_path: Path) -> Path:
    """The folder of the code and of the data."""
    settings.BASE_DIR = settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def somebody() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that looks like `manage.py serve` from outside."""
    command = [sys.executable, "-c", "print(flush=True); input()", "serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()  # before it is quite there it has no command line
    yield process
    process.kill()
    process.communicate()


def noted(place: Path, pid: int) -> None:
    (place / "serve.json").write_text(json.dumps({"pid": pid, "url": "http://127.0.0.1:8000"}))


def pretend(place: Path, code: str) -> None:
    """Have `manage.py` do this."""
    (place / "manage.py").write_text(code)


def test_a_number_that_is_another_process_by_now_is_no_service(place: Path) -> None:
    noted(place, os.getpid())
    assert service() is None
    assert stop_service() is None


@pytest.mark.parametrize(
    "note", [None, "", "[]", '{"pid": "x", "url": ""}', '{"pid": 2147483646, "url": ""}']
)
def test_a_note_that_says_nothing_is_no_service(place: Path, note: str | None) -> None:
    if note is not None:
        (place / "serve.json").write_text(note)
    assert service() is None


def test_stopping_waits_for_the_end(place: Path, somebody: "subprocess.Popen[bytes]") -> None:
    noted(place, somebody.pid)
    stopped = stop_service()
    assert stopped is not None
    assert stopped.pid == somebody.pid
    assert somebody.poll() is not None


def test_a_service_that_ends_at_once_shows_the_end_of_its_log(place: Path) -> None:
    pretend(place, "print('one reason'); raise SystemExit(1)")
    with pytest.raises(DemoFailed, match=r"ended at once(.|\n)*one reason"):
        start_service(host=LOOPBACK, port=_unused_port(), say=print)


def test_the_log_of_the_time_before_is_kept(place: Path) -> None:
    service_log().write_text("before")
    pretend(place, "raise SystemExit(1)")
    with pytest.raises(DemoFailed):
        start_service(host=LOOPBACK, port=_unused_port(), say=print)
    assert service_log().with_suffix(".log.1").read_text() == "before"


def test_a_port_that_is_taken_is_stepped_over(place: Path) -> None:
    said: list[str] = []
    pretend(place, "import sys; print(sys.argv[-1])")
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DemoFailed):
            start_service(host=LOOPBACK, port=port, say=said.append)
    chosen = int(service_log().read_text())
    assert chosen > port
    assert said == [f"Port {port} is taken, so the service goes to {chosen}."]


def test_nobody_there_is_not_ready() -> None:
    assert readiness(f"http://{LOOPBACK}:9") == {}


def _unused_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def metrics_server(*owed: int) -> Loopback:
    """Answers /metrics with so many vectors owed, one after the other, then with none."""
    counts = iter(owed)

    class Metrics(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            count = next(counts, 0)
            body = f'# HELP\nrapport_vectors_owed{{state="due"}} {count}.0\nrapport_other 7\n'.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Loopback(Metrics)


def test_vectors_that_are_owed_are_waited_for() -> None:
    with metrics_server(3, 1) as server:
        wait_until_embedded(server.url)
