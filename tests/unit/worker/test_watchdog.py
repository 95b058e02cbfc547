from collections.abc import Sequence

import pytest

from worker.watchdog import PoolView, Watchdog
from worker.worker_stats import WorkerStats, WorkerView

LIMIT, TASK_LIMIT = 6.0, 330.0
START = 1000.0

IDLE = WorkerView(pid=1, alive=True, busy_since=None, changed_at=START)
BUSY = WorkerView(pid=2, alive=True, busy_since=START, changed_at=START)
KILLED_IDLE = WorkerView(pid=3, alive=False, busy_since=None, changed_at=START)
KILLED_BUSY = WorkerView(pid=4, alive=False, busy_since=START, changed_at=START)


def view(
    workers: Sequence[WorkerView] = (IDLE, BUSY),
    *,
    guard_at: float = START,
    handed: int = 0,
    handed_at: float = START,
    started: int = 0,
    waiting_seconds: float = 0.0,
) -> PoolView:
    return PoolView(workers, 2, guard_at, handed, handed_at, started, waiting_seconds)


def look_every_second(pool: PoolView, *, seconds: int, guard_moves: bool = True) -> list[str]:
    """What a watchdog says that looks at the same pool for so long."""
    watchdog = Watchdog(limit=LIMIT, task_limit=TASK_LIMIT, now=START)
    said = []
    for second in range(seconds):
        now = START + second
        moved = PoolView(
            pool.workers,
            pool.expected,
            now if guard_moves else pool.guard_at,
            pool.handed,
            pool.handed_at,
            pool.started,
            pool.waiting_seconds,
        )
        said.append(watchdog.look(moved, now=now))
    return [sentence for sentence in said if sentence]


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param(view((IDLE, IDLE)), id="idle"),
        pytest.param(view((BUSY, BUSY), handed=9, waiting_seconds=100), id="all busy while tasks wait"),
        pytest.param(view((IDLE, BUSY), waiting_seconds=LIMIT - 1), id="a task that has not waited long"),
        pytest.param(view((IDLE, BUSY), handed=7, started=7), id="everything that was handed out is begun"),
        pytest.param(view((IDLE, BUSY, KILLED_BUSY)), id="a busy worker was killed and replaced"),
    ],
)
def test_a_pool_that_works_is_left_alone(pool: PoolView) -> None:
    assert look_every_second(pool, seconds=60) == []


def test_an_idle_worker_that_was_killed_is_noticed_at_the_first_look() -> None:
    watchdog = Watchdog(limit=LIMIT, task_limit=TASK_LIMIT, now=START)

    assert "idle worker was killed" in str(watchdog.look(view((KILLED_IDLE, IDLE, IDLE)), now=START))


@pytest.mark.parametrize(
    ("pool", "reason"),
    [
        pytest.param(
            view((IDLE, BUSY), handed=3, started=2), "idle worker does not take", id="handed, not begun"
        ),
        pytest.param(
            view((IDLE, IDLE), waiting_seconds=60), "idle worker does not take", id="not even fetched"
        ),
        pytest.param(view((BUSY,)), "workers are missing", id="nobody comes for the one that died"),
        pytest.param(view(()), "workers are missing", id="nobody ever came"),
    ],
)
def test_a_pool_that_is_stuck_is_found_once_the_limit_is_over(pool: PoolView, reason: str) -> None:
    assert look_every_second(pool, seconds=int(LIMIT)) == []
    assert reason in look_every_second(pool, seconds=int(LIMIT) + 2)[0]


def test_a_guard_that_stands_still_is_noticed() -> None:
    said = look_every_second(view(), seconds=int(LIMIT) + 2, guard_moves=False)

    assert said == ["the guard of the pool does not move"]


def test_a_task_beyond_every_time_limit_is_not_waited_for() -> None:
    said = look_every_second(view((BUSY, BUSY)), seconds=int(TASK_LIMIT) + 2)

    assert said == ["a task overran its time and could not be ended"]


def test_a_worker_that_has_just_become_idle_gets_its_time() -> None:
    pool = view((WorkerView(1, True, None, changed_at=START + 8), BUSY), handed=3, started=2)

    assert len(look_every_second(pool, seconds=14)) == 0
    assert len(look_every_second(pool, seconds=16)) == 1


def test_after_a_pause_of_the_whole_machine_nobody_is_blamed_for_it() -> None:
    watchdog = Watchdog(limit=LIMIT, task_limit=TASK_LIMIT, now=START)
    later = START + 3600

    assert watchdog.look(view((IDLE, BUSY), waiting_seconds=3600), now=later) is None
    assert watchdog.look(view((IDLE, BUSY), waiting_seconds=3600), now=later + 1) is None


def test_the_view_is_read_from_the_board() -> None:
    worker_stats = WorkerStats()
    worker_stats.start_pool()
    worker_stats.take_slot()
    worker_stats.begin_task()

    pool = PoolView.of(worker_stats, expected=2)
    worker_stats.close()

    assert (pool.started, pool.handed, len(pool.workers)) == (1, 0, 1)
    assert pool.workers[0].busy_since is not None
