import os
import subprocess
import sys

from worker.identity import (
    is_dead,
    machine_of,
    process_start,
    this_machine,
    worker_identity,
)


def test_a_process_that_runs_is_not_dead() -> None:
    assert is_dead(worker_identity()) is False


def test_the_name_fits_its_column() -> None:
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


def test_a_number_that_another_process_got_is_not_taken_for_the_old_one() -> None:
    assert is_dead(f"{this_machine()}:{os.getpid()}:1") is True


def test_of_a_process_on_another_machine_nothing_is_known() -> None:
    assert is_dead(f"elsewhere/0badc0de:{os.getpid()}:1") is None


def test_a_name_of_another_shape_says_nothing() -> None:
    for name in ("", "test", "a:b", f"{this_machine()}:pid:start"):
        assert is_dead(name) is None


def test_processes_of_one_machine_share_its_part_of_the_name() -> None:
    assert machine_of(worker_identity()) == this_machine()
    assert machine_of("elsewhere/0badc0de:12:34") == "elsewhere/0badc0de"


def test_a_fork_has_a_name_of_its_own() -> None:
    reading, writing = os.pipe()
    mine = worker_identity()
    child = os.fork()
    if not child:
        os.write(writing, worker_identity().encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert os.read(reading, 200).decode() != mine
