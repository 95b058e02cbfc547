"""The broker between real sessions of a real database."""

import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.utils import timezone
from django_q.models import OrmQ

from tests.waiting import wait_until
from worker import worker_stats
from worker.broker import NotifyBroker

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker() -> Iterator[NotifyBroker]:
    made = NotifyBroker("rapport")
    yield made
    made.close()


def take(broker: NotifyBroker) -> list[str]:
    return [payload for _, payload in broker.dequeue() or []]


def cut_sessions() -> int:
    """End every session on the test database but ours, as a restart would."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        ended: int = cursor.fetchone()[0]
    return ended


def test_tasks_come_out_in_the_order_they_went_in(broker: NotifyBroker) -> None:
    for number in range(5):
        broker.enqueue(f"task {number}")

    assert [take(broker) for _ in range(5)] == [[f"task {number}"] for number in range(5)]
    assert not OrmQ.objects.exists()


def test_a_rolled_back_enqueue_leaves_no_task(broker: NotifyBroker) -> None:
    with transaction.atomic():
        broker.enqueue("a task")
        transaction.set_rollback(True)

    assert take(broker) == []


def test_a_task_is_nobodys_before_its_transaction_commits(broker: NotifyBroker) -> None:
    with transaction.atomic():
        broker.enqueue("a task")
        assert take(broker) == []

    assert take(broker) == ["a task"]


def test_an_enqueue_wakes_the_one_who_waits(broker: NotifyBroker) -> None:
    assert take(broker) == []  # it listens now
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(wait_until, lambda: take(broker), what="a task")

        NotifyBroker("rapport").enqueue("a task")

        assert found.result(timeout=10) == ["a task"]


def test_no_task_is_claimed_twice() -> None:
    NotifyBroker("rapport").enqueue("warm-up")
    for number in range(200):
        NotifyBroker("rapport").enqueue(f"task {number}")

    def take_all(_: int) -> list[str]:
        broker = NotifyBroker("rapport")
        taken: list[str] = []
        while OrmQ.objects.exists():
            taken += take(broker)
        broker.close()
        connection.close()
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [payload for part in pool.map(take_all, range(4)) for payload in part]

    assert len(taken) == len(set(taken)) == 201


def test_it_takes_up_again_after_the_database_has_cut_it_off(broker: NotifyBroker) -> None:
    assert take(broker) == []
    assert cut_sessions() >= 1
    broker.enqueue("a task")

    assert wait_until(lambda: take(broker), what="the task after the cut") == ["a task"]


def test_what_is_claimed_is_noted_for_the_watchdog(broker: NotifyBroker) -> None:
    shared = worker_stats.WorkerStats()
    worker_stats.use(shared)
    try:
        broker.enqueue("a task")
        take(broker)
        assert shared.page.handed == 1
        assert shared.page.handed_at > 0
    finally:
        worker_stats.use(None)
        shared.close()


def test_a_row_whose_lock_lies_ahead_is_not_claimable(broker: NotifyBroker) -> None:
    row_id = broker.enqueue("a task")
    OrmQ.objects.filter(id=row_id).update(lock=timezone.now().replace(year=2099))

    assert take(broker) == []


def test_it_travels_by_pickle_without_its_session(broker: NotifyBroker) -> None:
    copy = pickle.loads(pickle.dumps(broker))

    assert copy.list_key == broker.list_key
    assert copy.channel == broker.channel
    copy.close()


def test_queues_do_not_see_each_other_and_a_channel_fits_its_name(broker: NotifyBroker) -> None:
    other = NotifyBroker("another queue")
    other.enqueue("a task")

    assert take(broker) == []
    assert broker.channel != other.channel
    assert len(NotifyBroker("q" * 100).channel) <= 63
