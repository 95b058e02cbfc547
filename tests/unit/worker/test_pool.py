import os
import signal
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connection
from django_q.conf import Conf

from config.supervision import fork, kill_group
from tests.waiting import wait_until
from worker.broker import NotifyBroker
from worker.enqueue import enqueue, enqueue_task
from worker.pool import run_pool
from worker.worker_stats import WorkerStats

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker_stats() -> Iterator[WorkerStats]:
    made = WorkerStats()
    made.start_pool()
    connection.close()  # not for the forks
    yield made
    made.close()


def test_each_worker_of_the_pool_has_a_slot_and_leaves_it_when_it_is_stopped(
    worker_stats: WorkerStats,
) -> None:
    me = os.getpid()
    pool = fork(lambda: run_pool(worker_stats, supervisor=me), name="pool")
    try:
        wait_until(lambda: len(worker_stats.workers()) == Conf.WORKERS, what="the workers")
        assert all(worker.busy == 0 for worker in worker_stats.workers())

        os.kill(pool, signal.SIGTERM)

        assert os.waitstatus_to_exitcode(os.waitpid(pool, 0)[1]) == 0
        assert worker_stats.workers() == []
    finally:
        kill_group(pool)


def test_what_can_not_be_run_or_read_does_not_stay_behind_as_waiting(worker_stats: WorkerStats) -> None:
    """Else the watchdog would restart the pool for it."""
    me, page = os.getpid(), worker_stats.page
    enqueue_task("memory.tasks.of_another_version", uuid4(), project_id=uuid4())
    NotifyBroker().enqueue("signed:with:another key")
    enqueue(uuid4(), project_id=uuid4())
    connection.close()
    pool = fork(lambda: run_pool(worker_stats, supervisor=me), name="pool")
    try:
        wait_until(lambda: page.handed == worker_stats.taken == 2, what="both tasks to be taken")
    finally:
        kill_group(pool)
        os.waitpid(pool, 0)


def test_a_pool_that_nobody_watches_ends_at_once(worker_stats: WorkerStats) -> None:
    pool = fork(lambda: run_pool(worker_stats, supervisor=-1), name="pool")

    assert os.waitstatus_to_exitcode(os.waitpid(pool, 0)[1]) == -signal.SIGKILL
