import os
import signal
from collections.abc import Iterator

import pytest
from django.db import connection
from django_q.conf import Conf

from config.supervision import fork, kill_group
from memory.queue.board import Board
from memory.queue.pool import run_pool
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> Iterator[Board]:
    made = Board()
    made.start_pool()
    connection.close()  # not for the forks
    yield made
    made.close()


def test_each_worker_of_the_pool_has_a_slot_and_leaves_it_when_it_is_stopped(board: Board) -> None:
    me = os.getpid()
    pool = fork(lambda: run_pool(board, supervisor=me), name="pool")
    try:
        wait_until(lambda: len(board.workers()) == Conf.WORKERS, what="the workers")
        assert all(worker.busy_since is None for worker in board.workers())
        guarded_at = board.page.guard_at
        wait_until(lambda: board.page.guard_at > guarded_at, what="the guard's round")

        os.kill(pool, signal.SIGTERM)

        assert os.waitstatus_to_exitcode(os.waitpid(pool, 0)[1]) == 0
        assert board.workers() == []
    finally:
        kill_group(pool)


def test_a_pool_that_nobody_watches_ends_at_once(board: Board) -> None:
    pool = fork(lambda: run_pool(board, supervisor=-1), name="pool")

    assert os.waitstatus_to_exitcode(os.waitpid(pool, 0)[1]) == -signal.SIGKILL
