import multiprocessing
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from web.server.processes import remove_left_socket, web_server


def test_an_address_it_can_t_listen_at_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        CommandError,
        match="--bind, or RAPPORT_BIND: 'localhost' names no port: write host:port, or unix:/path",
    ):
        call_command("web", bind="localhost")


def test_an_address_that_is_taken_is_named_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as taken:  # as ours
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = started("--bind", address, RAPPORT_DATA_DIR=str(tmp_path))

    assert ended.returncode == 1
    assert ended.stderr.strip().endswith(f"The web server can't be at {address}: Address already in use.")
    assert "trace" not in ended.stderr


def test_a_host_that_is_no_address_is_named_in_one_sentence(tmp_path: Path) -> None:
    ended = started("--bind", "localhost:0", RAPPORT_DATA_DIR=str(tmp_path))

    assert ended.stderr.strip().endswith("The web server can't be at localhost:0: invalid IP address syntax.")
    assert "trace" not in ended.stderr.lower()


def test_the_socket_of_a_server_that_was_killed_makes_room_and_that_of_one_that_listens_stays(
    tmp_path: Path,
) -> None:
    path = tmp_path / "web.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        remove_left_socket(path)
        assert path.is_socket()

    remove_left_socket(path)

    assert not path.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="forks there alone")
def test_processes_are_forked_also_by_a_python_that_would_start_each_anew() -> None:
    usual = multiprocessing.get_start_method()
    multiprocessing.set_start_method("forkserver", force=True)
    try:
        web_server("127.0.0.1:0", processes=1, grace=1)

        assert multiprocessing.get_start_method() == "fork"
    finally:
        multiprocessing.set_start_method(usual, force=True)


def started(*options: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`manage.py web` by itself, once it has ended."""
    return subprocess.run(
        [sys.executable, "manage.py", "web", *options],
        cwd=settings.BASE_DIR,
        env={"PATH": "/usr/bin:/bin", "DATABASE_URL": "postgresql://nobody/none", **env},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_setting_that_can_t_be_read_is_named_and_nothing_starts() -> None:
    ended = started(RAPPORT_WEB_THREADS="many")

    assert ended.returncode == 1
    assert "RAPPORT_WEB_THREADS 'many' can't be read" in ended.stderr
