import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from config.embedded_postgres.layout import socket_file
from config.embedded_postgres.postmaster import Answer, ask, drop_stale_locks, is_server_on, running_pid
from tests.waiting import wait_until

STARTING = b"E\0\0\0\x30SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
FULL = b"E\0\0\0\x30SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0"
WELCOME = b"R\0\0\0\x08\0\0\0\0"


@contextmanager
def _listening(data_dir: Path, reply: bytes) -> Iterator[None]:
    """Something on the server's socket that says one thing to one caller."""

    def answer() -> None:
        caller, _ = listener.accept()
        caller.recv(4096)
        caller.sendall(reply)
        caller.close()

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_file(data_dir)))
        listener.listen()
        thread = threading.Thread(target=answer)
        thread.start()
        yield
        thread.join()


@pytest.fixture
def zombie() -> Iterator[int]:
    process = subprocess.Popen(["/bin/true"])
    wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, what="a zombie")
    yield process.pid
    process.wait()


@pytest.mark.parametrize(
    ("reply", "expected"),
    [(WELCOME, Answer.READY), (FULL, Answer.READY), (STARTING, Answer.NOT_YET), (b"", Answer.NOT_YET)],
    ids=["a login", "too many clients", "starting up", "hung up"],
)
def test_the_answer_on_the_socket_is_understood(tmp_path: Path, reply: bytes, expected: Answer) -> None:
    with _listening(tmp_path, reply):
        assert ask(tmp_path) is expected


def test_no_socket_means_nobody_is_there(tmp_path: Path) -> None:
    assert ask(tmp_path) is Answer.NOBODY


def test_a_server_that_says_nothing_is_not_ready(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_file(tmp_path)))
        listener.listen()

        assert ask(tmp_path, timeout=0.05) is Answer.NOT_YET


@pytest.mark.parametrize("text", ["", "no number\n", "999999999\n"], ids=["empty", "garbage", "dead"])
def test_a_pid_file_that_names_no_living_server_means_none_runs(tmp_path: Path, text: str) -> None:
    (tmp_path / "postmaster.pid").write_text(text)

    assert running_pid(tmp_path) is None


def test_without_a_pid_file_none_runs(tmp_path: Path) -> None:
    assert running_pid(tmp_path) is None


def test_another_program_in_the_same_folder_is_not_the_server(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], cwd=tmp_path, stdin=subprocess.PIPE) as other:
        assert not is_server_on(tmp_path, other.pid)


def test_a_zombie_is_not_the_server(tmp_path: Path, zombie: int) -> None:
    assert not is_server_on(tmp_path, zombie)


def test_locks_that_name_another_program_or_a_zombie_are_dropped(tmp_path: Path, zombie: int) -> None:
    (tmp_path / "postmaster.pid").write_text(f"{os.getpid()}\n{tmp_path}\n")
    (tmp_path / ".s.PGSQL.5432.lock").write_text(f"{zombie}\n")

    drop_stale_locks(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_dead_server_is_left_to_postgresql(tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text("999999999\n")

    drop_stale_locks(tmp_path)

    assert (tmp_path / "postmaster.pid").exists()
