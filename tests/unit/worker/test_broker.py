import pickle

import pytest
from django.utils import timezone
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.models import OrmQ

from worker.broker import NotifyBroker

pytestmark = pytest.mark.django_db


@pytest.fixture
def broker() -> NotifyBroker:
    return NotifyBroker("a queue")


def test_it_is_the_broker_that_the_settings_name() -> None:
    assert isinstance(get_broker(), NotifyBroker)
    assert get_broker().list_key == Conf.CLUSTER_NAME


def test_a_task_is_queued_until_it_is_claimed(broker: NotifyBroker) -> None:
    row_id = broker.enqueue("a task")

    assert OrmQ.objects.get(id=row_id).payload == "a task"
    assert broker.queue_size() == 1


def test_a_row_whose_lock_lies_ahead_is_not_claimable(broker: NotifyBroker) -> None:
    row_id = broker.enqueue("a task")
    OrmQ.objects.filter(id=row_id).update(lock=timezone.now().replace(year=2099))

    assert broker.queue_size() == 0


def test_queues_do_not_see_each_other(broker: NotifyBroker) -> None:
    NotifyBroker("another queue").enqueue("a task")

    assert broker.queue_size() == 0
    assert broker.channel != NotifyBroker("another queue").channel


def test_acknowledging_and_failing_leave_other_rows_alone(broker: NotifyBroker) -> None:
    row_id = broker.enqueue("a task")

    broker.acknowledge(row_id + 1)
    broker.fail(row_id + 1)

    assert broker.queue_size() == 1


def test_it_travels_by_pickle_without_its_session(broker: NotifyBroker) -> None:
    copy = pickle.loads(pickle.dumps(broker))

    assert copy.list_key == broker.list_key
    assert copy.channel == broker.channel
    copy.close()


def test_a_cluster_starts_without_asking_the_database(broker: NotifyBroker) -> None:
    assert broker.ping() is True


def test_a_channel_name_is_never_longer_than_postgres_takes() -> None:
    assert len(NotifyBroker("q" * 100).channel) <= 63
