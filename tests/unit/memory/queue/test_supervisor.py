import os

import pytest

from memory.queue.supervisor import Child


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


def test_a_child_that_died_is_started_again_at_once(child: Child) -> None:
    assert live(child, start=0.0, end=0.1)
    assert live(child, start=0.1, end=0.2)


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


def test_a_child_that_runs_is_not_started_twice(child: Child) -> None:
    assert child.start_if_time(0.0) is True
    assert child.start_if_time(100.0) is False
    assert child.pid is not None
    os.waitpid(child.pid, 0)
