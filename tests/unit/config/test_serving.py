import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.serving import Address, PortTaken, Service, require_free, services, serving_at
from tests.waiting import wait_until


@pytest.fixture
def taken() -> Iterator[Address]:
    """An address where somebody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield Address("127.0.0.1", listener.getsockname()[1])


def note_of(folder: Path, **told: object) -> Path:
    note = folder / "serve.json"
    note.write_text(json.dumps(told))
    return note


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("::1", "http://[::1]:8000"),
        ("rapport.example", "http://rapport.example:8000"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host: str, url: str) -> None:
    assert Address(host, 8000).url == url


def test_a_port_that_is_free_is_no_trouble(tmp_path: Path, taken: Address) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = Address("127.0.0.1", probe.getsockname()[1])

    require_free(free, note=tmp_path / "serve.json")

    assert free.port != taken.port


def test_a_taken_port_is_named_with_one_that_is_free(tmp_path: Path, taken: Address) -> None:
    with pytest.raises(
        PortTaken, match=rf"^Port {taken.port} on 127\.0\.0\.1 is taken; --port \d+ is free\.$"
    ):
        require_free(taken, note=tmp_path / "serve.json")


def test_our_own_service_is_recognised(tmp_path: Path, taken: Address) -> None:
    note = note_of(tmp_path, pid=os.getpid(), url=taken.url)

    with pytest.raises(PortTaken, match=f"Rapport runs already, at {taken.url}"):
        require_free(taken, note=note)


@pytest.mark.parametrize(
    "told", [{"pid": 999999999, "url": "http://127.0.0.1:8000"}, {"url": "http://127.0.0.1:8000"}], ids=str
)
def test_a_note_that_a_dead_service_left_says_nothing(told: dict[str, object], tmp_path: Path) -> None:
    assert serving_at(note_of(tmp_path, **told)) is None
    assert serving_at(tmp_path / "no such note") is None


def test_each_part_is_told_what_it_is_before_it_reads_its_settings() -> None:
    web, worker = services(Address("::1", 8000), Path("/"))

    assert (web.name, worker.name) == ("web server", "worker")
    assert web.environment["RAPPORT_PROCESS"] == "web"
    assert worker.environment["RAPPORT_PROCESS"] == "worker"
    assert "[::1]:8000" in web.command


def test_a_part_that_died_is_started_again_after_a_growing_pause(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = [sys.executable, "-c", f"open({str(runs)!r}, 'a').write('x'); raise SystemExit(3)"]
    service, said = Service("worker", command, dict(os.environ), tmp_path), list[str]()
    for moment, expected in ((0.0, 1), (0.1, 1), (0.5, 1), (0.6, 2), (0.7, 2), (1.6, 2), (1.7, 3)):
        service.tend(moment, said.append)
        wait_until(lambda: not service.running, what="its end")
        assert len(runs.read_text()) == expected

    assert said == [
        "The worker ended (status 3); starting it again in 0.5 s.",
        "The worker ended (status 3); starting it again in 1 s.",
    ]


def test_how_a_part_was_killed_is_said(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    service, said = Service("web server", command, dict(os.environ), tmp_path), list[str]()
    service.tend(0.0, said.append)
    wait_until(lambda: not service.running, what="its end")

    service.tend(60.0, said.append)

    assert said == ["The web server ended (killed by SIGKILL); starting it again in 0.5 s."]


def test_a_part_can_be_asked_to_stop_and_be_made_to(tmp_path: Path) -> None:
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); signal.pause()"
    service = Service("worker", [sys.executable, "-c", stubborn], dict(os.environ), tmp_path)
    service.tend(0.0, print)
    assert service.running

    service.terminate()
    service.kill()

    assert not service.running
