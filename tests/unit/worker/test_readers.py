import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError

from tests.waiting import wait_until
from worker import worker_stats
from worker.readers import LOOK_SECONDS, Readers, start_readers, task
from worker.silence import SILENT_SECONDS, CallsInFlight
from worker.worker_stats import WorkerStats


@pytest.fixture
def stats() -> Iterator[WorkerStats]:
    made = WorkerStats()
    worker_stats.use(made)
    made.take_slot()
    yield made
    worker_stats.use(None)
    made.close()


@pytest.fixture
def two_readers(stats: WorkerStats) -> Iterator[Readers]:
    made = start_readers(2, stats)
    yield made
    made.close()


def test_a_process_takes_no_task_while_its_readers_are_busy(stats: WorkerStats, two_readers: Readers) -> None:
    go_on = threading.Event()

    @task
    def wait(row: UUID) -> None:
        assert go_on.wait(10)

    tasks = iter(range(3))
    taking = threading.Thread(target=lambda: [wait(str(uuid4())) for _ in tasks])
    taking.start()
    wait_until(lambda: stats.workers()[0].busy == 2, what="both readers to be busy")
    taking.join(0.1)

    assert taking.is_alive()
    assert list(tasks) == [2], "a free reader of another process may take it"

    go_on.set()
    taking.join(10)
    assert not taking.is_alive()
    two_readers.close()
    assert (stats.workers()[0].busy, stats.workers()[0].busy_since) == (0, None)


def test_other_readers_come_in_for_a_quarter_of_those_whose_models_are_silent(
    stats: WorkerStats, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = CallsInFlight(clock=lambda: clock[0])
    clock, go_on = [1000.0], threading.Event()
    monkeypatch.setattr("worker.readers.calls_in_flight", silent)
    eight_readers = start_readers(8, stats)
    assert silent.readers == 8

    @task
    def ask(row: UUID) -> None:
        with silent.call(row, "slow"):
            assert go_on.wait(30)

    taking = threading.Thread(target=lambda: [ask(str(uuid4())) for _ in range(20)])
    taking.start()
    wait_until(lambda: stats.workers()[0].busy == 8, what="all readers to wait")
    clock[0] += SILENT_SECONDS + 1
    wait_until(lambda: stats.workers()[0].busy == 10, what="two others to come in")
    taking.join(2 * LOOK_SECONDS)
    assert (taking.is_alive(), stats.workers()[0].busy) == (True, 10)

    go_on.set()
    taking.join(10)
    eight_readers.close()
    assert (stats.workers()[0].busy, silent.readers) == (0, 0)


def test_a_task_that_crashes_frees_its_reader_and_names_nobodys_words(
    two_readers: Readers, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[UUID] = []

    @task
    def crash(row: UUID) -> None:
        done.append(row)
        raise RuntimeError("somebody's words")

    for _ in range(5):
        crash(str(uuid4()))
    two_readers.close()

    assert len(done) == 5
    assert "queue.task.crashed" in caplog.text
    assert "somebody's words" not in caplog.text


def test_a_task_that_lost_the_database_is_no_crash_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    @task
    def lose(row: UUID) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    lose(str(uuid4()))

    assert "queue.task.cut_off" in caplog.text
    assert "queue.task.crashed" not in caplog.text


def test_without_readers_a_task_is_done_where_it_is_called_and_never_fails() -> None:
    threads: list[threading.Thread] = []

    @task
    def note(row: UUID) -> None:
        threads.append(threading.current_thread())

    note(str(uuid4()))
    note("no ID at all")

    assert threads == [threading.current_thread()]


def test_a_worker_that_is_being_stopped_begins_none(stats: WorkerStats) -> None:
    stats.page.stopping = 1
    done: list[UUID] = []

    @task
    def note(row: UUID) -> None:
        done.append(row)

    note(str(uuid4()))

    assert done == []
