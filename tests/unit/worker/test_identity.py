import os
import subprocess
import sys

import pytest

from worker.identity import (
    is_dead,
    process_start,
    this_machine,
    worker_identity,
)


@pytest.mark.parametrize(
    ("name", "dead"),
    [
        pytest.param(worker_identity(), False, id="runs"),
        pytest.param(f"{this_machine()}:{os.getpid()}:1", True, id="its number was given to another"),
        pytest.param(f"elsewhere/0badc0de:{os.getpid()}:1", None, id="on another machine"),
        *(pytest.param(name, None, id=name or "none") for name in ("", "a:b", f"{this_machine()}:pid:start")),
    ],
)
def test_whether_a_process_has_ended_is_told_by_its_name(name: str, dead: bool | None) -> None:
    assert is_dead(name) is dead
    assert len(worker_identity()) <= 120


def test_a_process_that_ended_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = f"{this_machine()}:{child.pid}:{process_start(child.pid)}"
    assert is_dead(name) is False

    child.communicate(b"\n")

    assert is_dead(name) is True


def test_a_zombie_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    name = f"{this_machine()}:{child.pid}:{process_start(child.pid)}"
    assert child.stdout is not None
    child.stdout.read()  # its end: it has exited, or is about to
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # and nobody has collected it

    assert is_dead(name) is True
    child.communicate()


def test_a_fork_has_a_name_of_its_own() -> None:
    reading, writing = os.pipe()
    mine = worker_identity()
    child = os.fork()
    if not child:
        os.write(writing, worker_identity().encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert os.read(reading, 200).decode() != mine
