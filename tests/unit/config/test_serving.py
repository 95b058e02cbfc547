import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.serving import Address, AddressUnusable, how_ended, parts, require_free, running_service
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


def test_a_taken_port_is_named_with_one_that_is_free(tmp_path: Path, taken: Address) -> None:
    with pytest.raises(
        AddressUnusable, match=rf"^Port {taken.port} on 127\.0\.0\.1 is taken; --port \d+ is free\.$"
    ):
        require_free(taken, note=tmp_path / "serve.json")


def test_a_host_that_is_not_here_is_no_taken_port(tmp_path: Path) -> None:
    with pytest.raises(
        AddressUnusable, match=r"^The service can't be at 192\.0\.2\.1:8000: Cannot assign requested"
    ):
        require_free(Address("192.0.2.1", 8000), note=tmp_path / "serve.json")


@pytest.mark.parametrize("command", ["serve", "demo"])
@pytest.mark.parametrize("port", ["-1", "99999"])
def test_a_number_that_is_no_port_is_refused_as_one(command: str, port: str) -> None:
    with pytest.raises(CommandError, match="is not between 1 and 65535"):
        call_command(command, "--port", port)


@pytest.mark.parametrize("port", [None, 0], ids=["its own port", "another port"])
def test_a_second_service_is_not_started_on_one_data_folder(
    tmp_path: Path, taken: Address, port: int | None
) -> None:
    """It would take over the note by which `make stop` and the quickstart find the first."""
    wanted = taken if port is None else Address(taken.host, port)
    with subprocess.Popen([sys.executable, "-c", "input()", "serve"], stdin=subprocess.PIPE) as serve:
        note = note_of(tmp_path, pid=serve.pid, url=taken.url)
        wait_until(lambda: running_service(note), what="the process to bear its name")
        try:
            with pytest.raises(AddressUnusable, match=f"Rapport is already running, at {taken.url}"):
                require_free(wanted, note=note)
        finally:
            serve.kill()


@pytest.mark.parametrize(
    "told",
    [
        None,
        {"pid": 999999999, "url": "http://127.0.0.1:8000"},
        {"url": "http://127.0.0.1:8000"},
        {"pid": os.getpid()},
    ],
    ids=["no note", "a dead process", "no process", "no address"],
)
def test_a_note_that_nobody_alive_left_says_nothing(told: dict[str, object] | None, tmp_path: Path) -> None:
    note = tmp_path / "no such note" if told is None else note_of(tmp_path, **told)

    assert running_service(note) is None


def test_there_are_two_groups_of_servers_each_at_an_address_of_its_own_and_a_worker() -> None:
    web, chats, worker = parts(Address("::1", 8000), Address("::1", 8001)).values()

    assert web == ["web", "--bind", "[::1]:8000"]
    assert chats == ["web", "--chats", "--bind", "[::1]:8001"]
    assert worker[0] == "worker"


def test_without_a_free_port_there_is_no_second_group() -> None:
    address = Address("::1", 8000)

    assert list(parts(address, address)) == ["web server", "worker"]


@pytest.mark.parametrize(("status", "says"), [(3 << 8, "status 3"), (9, "killed by SIGKILL")])
def test_how_a_part_ended_is_said(status: int, says: str) -> None:
    assert how_ended(status) == says
