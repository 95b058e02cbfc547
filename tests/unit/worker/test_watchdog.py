import math
import os
from collections.abc import Iterator, Sequence

import pytest
from django_q.conf import Conf
from pytest_django.fixtures import Settings

from worker.watchdog import Watchdog
from worker.worker_stats import WorkerStats

LIMIT, TASK_LIMIT, READERS = 6.0, 330.0, 8
START = 1000.0

LIVING, DEAD = os.getpid(), 999_999_999
# A process of the pool: its number, tasks in hand, and when that changed.
IDLE = (LIVING, 0, START)
BUSY = (LIVING, READERS, START)
HALF_BUSY = (LIVING, READERS - 1, START)
KILLED_IDLE = (DEAD, 0, START)
KILLED_BUSY = (DEAD, READERS, START)


@pytest.fixture
def stats(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerStats]:
    settings.WATCHDOG_SECONDS, settings.TASK_SECONDS, settings.READERS = LIMIT, TASK_LIMIT, READERS
    monkeypatch.setattr(Conf, "WORKERS", 2)
    made = WorkerStats()
    yield made
    made.close()


def show(
    stats: WorkerStats,
    workers: Sequence[tuple[int, int, float]],
    *,
    handed: int = 0,
    taken: int = 0,
    waiting_seconds: float = 0.0,
    measured_at: float = math.inf,
) -> Watchdog:
    """Write on the page that this is the pool; a watchdog that is to look at it."""
    for slot, (pid, busy, changed_at) in zip(stats.page.slots, workers, strict=False):
        slot.pid, slot.busy, slot.changed_at = pid, busy, changed_at
        slot.busy_since = START if busy else 0.0
    stats.page.slots[0].taken = taken
    stats.page.handed, stats.page.handed_at = handed, START
    stats.page.waiting_seconds, stats.page.measured_at = waiting_seconds, measured_at
    return Watchdog(stats, now=START)


def look_every_second(watchdog: Watchdog, *, seconds: float) -> list[tuple[int, str]]:
    """What it says, and in which second, that looks at the same pool for so long."""
    said = []
    for second in range(int(seconds)):
        said.append((second, watchdog.look(now=START + second)))
    return [(second, sentence) for second, sentence in said if sentence]


@pytest.mark.parametrize(
    ("workers", "page"),
    [
        pytest.param((IDLE, IDLE), {}, id="idle"),
        pytest.param((BUSY, BUSY), {"handed": 9, "waiting_seconds": 100}, id="all busy while tasks wait"),
        pytest.param((IDLE, BUSY), {"waiting_seconds": LIMIT - 1}, id="a task that has not waited long"),
        pytest.param(
            (IDLE, BUSY), {"waiting_seconds": 60, "measured_at": START - 1}, id="one that waited once"
        ),
        pytest.param((IDLE, BUSY), {"handed": 7, "taken": 7}, id="all that was handed out is taken"),
    ],
)
def test_a_pool_that_works_is_left_alone(
    workers: Sequence[tuple[int, int, float]], page: dict[str, int], stats: WorkerStats
) -> None:
    assert look_every_second(show(stats, workers, **page), seconds=60) == []


@pytest.mark.parametrize("killed", [KILLED_IDLE, KILLED_BUSY])
def test_a_process_that_was_killed_is_noticed_at_the_first_look(
    killed: tuple[int, int, float], stats: WorkerStats
) -> None:
    watchdog = show(stats, (killed, IDLE, IDLE))

    assert "was killed" in str(watchdog.look(now=START))


@pytest.mark.parametrize(
    ("workers", "page", "reason"),
    [
        pytest.param((IDLE, BUSY), {"handed": 3, "taken": 2}, "does not take", id="handed, not taken"),
        pytest.param((IDLE, IDLE), {"waiting_seconds": 60}, "does not take", id="not even fetched"),
        pytest.param((HALF_BUSY, BUSY), {"waiting_seconds": 60}, "does not take", id="one reader free"),
        pytest.param((BUSY,), {}, "processes are missing", id="nobody comes for the one that died"),
        pytest.param((), {}, "processes are missing", id="nobody ever came"),
    ],
)
def test_a_pool_that_is_stuck_is_found_once_the_limit_is_over(
    workers: Sequence[tuple[int, int, float]], page: dict[str, int], reason: str, stats: WorkerStats
) -> None:
    (found,) = look_every_second(show(stats, workers, **page), seconds=LIMIT + 2)

    assert found[0] == LIMIT + 1
    assert reason in found[1]


def test_a_task_beyond_every_time_limit_is_not_waited_for(stats: WorkerStats) -> None:
    said = look_every_second(show(stats, (BUSY, BUSY)), seconds=TASK_LIMIT + 2)

    assert said == [(TASK_LIMIT + 1, "a task overran its time")]


def test_a_worker_that_has_just_become_idle_gets_its_time(stats: WorkerStats) -> None:
    watchdog = show(stats, ((LIVING, 0, START + 8), BUSY), handed=3, taken=2)

    ((second, _),) = look_every_second(watchdog, seconds=16)

    assert second == 8 + LIMIT + 1


def test_after_a_pause_of_the_whole_machine_nobody_is_blamed_for_it(stats: WorkerStats) -> None:
    watchdog = show(stats, (IDLE, BUSY), waiting_seconds=3600)
    later = START + 3600

    assert watchdog.look(now=later) is None
    assert watchdog.look(now=later + 1) is None
