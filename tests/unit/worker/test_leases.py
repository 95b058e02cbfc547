from datetime import timedelta

import pytest
from django.utils import timezone

from memory.ingestion.sweep import release_dead_leases
from relationships.models import Turn, TurnState
from tests.fixtures.queue import MakeTurn, held_by
from worker.heartbeat import beat
from worker.identity import this_machine, worker_identity
from worker.models import WorkerHeartbeat

GONE = f"{this_machine()}:999999999:1"
ELSEWHERE = "elsewhere/0badc0de:12:34"

pytestmark = pytest.mark.django_db


def again(turn: Turn) -> Turn:
    found: Turn = Turn.objects.for_relationship(turn.relationship_id).get(id=turn.id)
    return found


def silent_since(seconds: float, *, name: str) -> None:
    beat(name=name, pool_restarts=0, counters={})
    WorkerHeartbeat.objects.filter(name=name).update(beat_at=timezone.now() - timedelta(seconds=seconds))


@pytest.mark.parametrize(
    "holder", [worker_identity(), ELSEWHERE, "somebody"], ids=["alive", "elsewhere", "unknown"]
)
def test_a_lease_is_left_alone_while_its_holder_may_live(holder: str, make_turn: MakeTurn) -> None:
    turn = make_turn(**held_by(holder))

    assert release_dead_leases(timezone.now()) == {}
    assert again(turn).state == TurnState.PROCESSING


def test_another_machine_that_fell_silent_loses_its_leases(make_turn: MakeTurn) -> None:
    silent_since(60, name="elsewhere/0badc0de:1:1")
    turn = make_turn(**held_by(ELSEWHERE))

    assert release_dead_leases(timezone.now()) == {turn.relationship_id: turn.project_id}


def test_another_machine_keeps_its_leases_while_one_of_its_workers_is_heard(make_turn: MakeTurn) -> None:
    silent_since(60, name="elsewhere/0badc0de:1:1")
    silent_since(1, name="elsewhere/0badc0de:2:2")
    make_turn(**held_by(ELSEWHERE))

    assert release_dead_leases(timezone.now()) == {}


def test_whoever_lives_here_keeps_its_lease_though_its_heartbeat_was_held_up(make_turn: MakeTurn) -> None:
    silent_since(60, name=f"{this_machine()}:1:1")
    make_turn(**held_by(worker_identity()))

    assert release_dead_leases(timezone.now()) == {}
