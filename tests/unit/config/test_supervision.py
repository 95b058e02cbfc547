import os
import signal
from collections.abc import Callable

import psutil
import pytest

from config.supervision import Child, fork, kill_group
from tests.waiting import wait_until


def status_of(child: int) -> int:
    """How it ended: its exit status, or minus the signal that killed it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fail() -> None:
    raise RuntimeError("somebody's words")


def leave() -> None:
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        pytest.param(lambda: None, 0, id="that returns"),
        pytest.param(fail, 1, id="that fails"),
        pytest.param(leave, 1, id="that leaves"),
    ],
)
def test_a_child_never_comes_back_into_the_code_of_its_parent(
    target: Callable[[], None], status: int
) -> None:
    assert status_of(fork(target, name="child")) == status


def test_a_child_leads_a_group_and_bears_a_name() -> None:
    child = fork(signal.pause, name="child")
    try:
        wait_until(lambda: psutil.Process(child).name() == "rapport-child", what="the name")
        assert os.getpgid(child) == child
    finally:
        kill_group(child)
        os.waitpid(child, 0)


def test_killing_a_group_takes_what_the_child_started() -> None:
    def have_a_child() -> None:
        os.fork()
        signal.pause()

    child = fork(have_a_child, name="child")
    grandchildren = wait_until(psutil.Process(child).children, what="a grandchild")

    kill_group(child)

    assert status_of(child) == -signal.SIGKILL
    wait_until(
        lambda: not psutil.pid_exists(grandchildren[0].pid) or _is_zombie(grandchildren[0]), what="its end"
    )


def test_the_signals_of_the_parent_are_not_those_of_the_child() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        child = fork(signal.pause, name="child")
        wait_until(lambda: psutil.Process(child).name() == "rapport-child", what="the name")
        os.kill(child, signal.SIGTERM)
        assert status_of(child) == -signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def child() -> Child:
    return Child("child", lambda: None)


def live(child: Child, *, start: float, end: float) -> bool:
    """Start it, if it may start, and let it end."""
    if not child.start_if_time(start):
        return False
    assert child.pid is not None
    os.waitpid(child.pid, 0)
    child.ended(end)
    return True


def test_one_that_keeps_dying_young_is_started_less_and_less_often(child: Child) -> None:
    now, starts = 0.0, []
    while now < 20:
        if live(child, start=now, end=now):
            starts.append(now)
        now = round(now + 0.25, 2)

    assert starts == [0.0, 0.25, 0.75, 1.75, 3.75, 7.75, 12.75, 17.75]


def test_after_a_steady_life_it_is_not_made_to_wait(child: Child) -> None:
    for moment in (0.0, 0.25, 0.75, 1.75):
        assert live(child, start=moment, end=moment)

    assert live(child, start=10.0, end=100.0)
    assert live(child, start=100.0, end=100.0)
