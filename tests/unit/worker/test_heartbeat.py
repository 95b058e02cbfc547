from datetime import timedelta

import pytest
from django.utils import timezone

from worker.heartbeat import (
    beat,
    forget_old_heartbeats,
    has_living_worker,
    silent_machines,
)
from worker.models import WorkerHeartbeat

pytestmark = pytest.mark.django_db

NAME = "somewhere/1c0ffee2:1:2"


def test_a_beat_moves_the_time_and_keeps_the_start() -> None:
    beat(name=NAME, pool_restarts=0, counters={})
    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(days=1))
    first = WorkerHeartbeat.objects.get()

    beat(name=NAME, pool_restarts=2, counters={"model_calls": 5})

    second = WorkerHeartbeat.objects.get()
    assert second.beat_at > first.beat_at
    assert second.started_at == first.started_at
    assert (second.pool_restarts, second.counters["model_calls"]) == (2, 5)


def test_a_machine_is_silent_when_nobody_on_it_was_heard_for_the_limit() -> None:
    beat(name=NAME, pool_restarts=0, counters={})
    assert silent_machines(15) == set()

    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=16))

    assert silent_machines(15) == {"somewhere/1c0ffee2"}


def test_a_heartbeat_is_kept_for_an_hour_to_be_wondered_about() -> None:
    for minutes in (59, 61):
        beat(name=f"{minutes}:1:1", pool_restarts=0, counters={})
        WorkerHeartbeat.objects.filter(name=f"{minutes}:1:1").update(
            beat_at=timezone.now() - timedelta(minutes=minutes)
        )

    assert forget_old_heartbeats() == 1
    assert WorkerHeartbeat.objects.get().name == "59:1:1"


def test_a_machine_has_a_living_worker_while_one_of_its_workers_is_heard() -> None:
    assert not has_living_worker("somewhere/1c0ffee2", limit=15)
    beat(name=NAME, pool_restarts=0, counters={})
    assert has_living_worker("somewhere/1c0ffee2", limit=15)
    assert not has_living_worker("elsewhere/1c0ffee2", limit=15)

    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=16))
    assert not has_living_worker("somewhere/1c0ffee2", limit=15)
    beat(name="somewhere/1c0ffee2:2:3", pool_restarts=0, counters={})
    assert has_living_worker("somewhere/1c0ffee2", limit=15)
