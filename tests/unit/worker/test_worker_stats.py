import os
import signal
from collections.abc import Callable, Iterator

import pytest
import structlog

from tests.waiting import wait_until
from worker import worker_stats
from worker.worker_stats import WorkerStats


@pytest.fixture
def shared() -> Iterator[WorkerStats]:
    made = WorkerStats()
    worker_stats.use(made)
    yield made
    worker_stats.use(None)
    made.close()


def in_a_fork(act: Callable[[], None]) -> int:
    """Run it in a child and then leave the child waiting; the child's number."""
    child = os.fork()
    if not child:
        act()
        signal.pause()
        os._exit(0)
    return child


def end(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_outside_a_worker_noting_does_nothing() -> None:
    worker_stats.note_handed(3)
    worker_stats.count_model_call(prompt_tokens=1, output_tokens=1, failed=False)

    assert worker_stats.stop_requested() is False


def test_what_a_fork_notes_is_seen_by_its_parent(shared: WorkerStats) -> None:
    def work() -> None:
        shared.take_slot()
        shared.note_taken()
        shared.begin_task()

    child = in_a_fork(work)
    try:
        wait_until(lambda: shared.taken and shared.workers()[0].busy, what="the task to begin")
        (worker,) = shared.workers()
        assert (worker.pid, worker.alive) == (child, True)
        assert (worker.busy, worker.busy_since is not None) == (1, True)
    finally:
        end(child)


def test_a_killed_process_leaves_its_slot_behind_and_a_polite_one_does_not(shared: WorkerStats) -> None:
    killed = in_a_fork(shared.take_slot)
    wait_until(shared.workers, what="the child to take its slot")
    end(killed)
    shared.take_slot()
    shared.leave_slot()

    assert [(worker.pid, worker.alive) for worker in shared.workers()] == [(killed, False)]


def test_processes_that_start_at_once_get_a_slot_each(shared: WorkerStats) -> None:
    children = [in_a_fork(shared.take_slot) for _ in range(12)]
    try:
        wait_until(lambda: len(shared.workers()) == 12, what="twelve slots")
        assert {worker.pid for worker in shared.workers()} == set(children)
    finally:
        for child in children:
            end(child)


def test_a_new_pool_forgets_the_processes_and_the_lost_tasks_of_the_last_one(shared: WorkerStats) -> None:
    shared.take_slot()
    shared.note_taken()
    worker_stats.note_handed(3)

    shared.start_pool()

    assert shared.workers() == []
    assert shared.page.handed == shared.taken == 1


def test_the_time_of_a_task_begins_anew_with_each_answer_of_a_model(shared: WorkerStats) -> None:
    """A summary of a long conversation asks many times, and would be taken for a task that never ends."""

    def busy_since() -> float:
        return shared.workers()[0].busy_since or 0.0

    shared.take_slot()
    shared.begin_task()
    began = busy_since()

    with worker_stats.model_call():
        assert busy_since() == began
    assert busy_since() > began

    shared.end_task()
    with worker_stats.model_call():
        pass
    assert busy_since() == 0.0


def test_totals_outlive_the_processes_that_counted(shared: WorkerStats) -> None:
    shared.take_slot()
    worker_stats.count_model_call(prompt_tokens=100, output_tokens=20, failed=False)
    worker_stats.count_model_call(prompt_tokens=None, output_tokens=None, failed=True)
    worker_stats.count_turn(0.2, trace_id="")
    shared.start_pool()
    shared.take_slot()
    worker_stats.count_turn(0.25, trace_id=f"{1:032x}")
    worker_stats.count_turn(4000, trace_id="")
    structlog.get_logger().error("a test's error", event_name="queue.task.crashed")
    structlog.get_logger().warning("a test's warning", event_name="ingestion.turn.waiting")
    worker_stats.count_model_call(prompt_tokens=10, output_tokens=2, failed=False)

    with worker_stats.model_call():
        assert shared.totals()["calls_in_flight"] == 1
    counted = {"errors": 1, "model_calls": 3, "model_errors": 1, "prompt_tokens": 110, "output_tokens": 22}
    totals = shared.totals()
    times = [(turns, seconds, trace, of) for turns, seconds, trace, of, _ in totals.pop("turn_times")]
    assert totals == {"busy": 0, "calls_in_flight": 0, **counted}
    assert (times[1], times[-1]) == ((2, 0.45, f"{1:032x}", 0.25), (1, 4000, "", 0))
    assert {time[0] for time in [times[0], *times[2:-1]]} == {0}
