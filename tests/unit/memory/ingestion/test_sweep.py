from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from memory.ingestion import sweep as sweep_module
from memory.ingestion.sweep import TASKS_PER_SWEEP, Sweep
from relationships.models import Companion, Relationship, TurnState
from tests.fixtures.people import meet, meet_elsewhere
from tests.fixtures.queue import MakeTurn, held_by
from worker.broker import NotifyBroker
from worker.fairness import ENOUGH_QUEUED
from worker.identity import this_machine

pytestmark = pytest.mark.django_db

GONE = f"{this_machine()}:999999999:1"


def enqueued_projects() -> list[UUID]:
    """Of the tasks that a sweep queued, whose they are."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT project_id FROM django_q_ormq WHERE payload <> 'a task' ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def queued() -> list[str]:
    """The relationships that the queue holds tasks for, in order."""
    return [task.task["args"][0] for task in OrmQ.objects.order_by("id")]


def test_a_turn_whose_task_was_lost_is_found(make_turn: MakeTurn, relationship: Relationship) -> None:
    make_turn(due=-3)

    assert Sweep().run(timezone.now()) == 1
    assert queued() == [str(relationship.id)]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"due": -1}, id="just taken in, and enqueued by that"),
        pytest.param({"due": 60, "attempts": 1}, id="waits for its retry"),
        pytest.param({"due_at": None, "waits_for": "explicit"}, id="waits for its trigger"),
        pytest.param({"due": -60, **held_by("somebody", seconds=86_400)}, id="is being read"),
        pytest.param({"due": -60, "state": TurnState.FAILED}, id="failed"),
        pytest.param({"due": -60, "state": TurnState.APPLIED}, id="applied"),
    ],
)
def test_a_turn_that_needs_nobody_is_left_alone(fields: dict[str, object], make_turn: MakeTurn) -> None:
    make_turn(**fields)

    assert Sweep().run(timezone.now()) == 0


def test_where_nothing_is_owed_a_round_asks_one_statement(
    make_turn: MakeTurn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_turn(due=60)
    make_turn(due=-60, state=TurnState.APPLIED)

    with django_assert_num_queries(1):
        Sweep().run(timezone.now())


def test_a_retry_is_enqueued_the_moment_it_falls_due(make_turn: MakeTurn) -> None:
    now = timezone.now()
    make_turn(due_at=now + timedelta(seconds=0.3), attempts=2)
    sweep = Sweep()

    assert sweep.run(now) == 0
    assert sweep.run(now + timedelta(seconds=0.3)) == 1


def test_what_a_dead_worker_held_is_enqueued_in_the_same_round(
    make_turn: MakeTurn, relationship: Relationship
) -> None:
    make_turn(**held_by(GONE))

    Sweep().run(timezone.now())

    assert queued() == [str(relationship.id)]


def test_a_relationship_that_does_not_move_is_enqueued_less_and_less_often(make_turn: MakeTurn) -> None:
    make_turn(due=-3)
    sweep, start = Sweep(), timezone.now()

    enqueued_at = [second for second in range(300) if sweep.run(start + timedelta(seconds=second))]

    assert enqueued_at == [0, 5, 15, 35, 75, 135, 195, 255]


def test_a_retry_that_failed_again_does_not_wait_for_the_pause_of_the_last(make_turn: MakeTurn) -> None:
    turn = make_turn(due=-3, attempts=1)
    sweep, now = Sweep(), timezone.now()
    assert sweep.run(now) == 1

    type(turn).objects.for_relationship(turn.relationship_id).update(attempts=2, due_at=now)

    assert sweep.run(now + timedelta(seconds=1)) == 1


def test_turns_behind_one_that_waits_for_its_retry_are_not_enqueued_in_vain(make_turn: MakeTurn) -> None:
    make_turn(due=60, attempts=1)
    make_turn(due=-60)

    assert Sweep().run(timezone.now()) == 0


def test_no_more_is_enqueued_while_enough_tasks_of_the_project_wait(
    make_turn: MakeTurn, relationship: Relationship
) -> None:
    make_turn(due=-3)
    broker = NotifyBroker("rapport", project_id=relationship.project_id)
    rows = [broker.enqueue("a task") for _ in range(ENOUGH_QUEUED)]

    assert Sweep().run(timezone.now()) == 0
    OrmQ.objects.filter(id=rows[0]).delete()
    assert Sweep().run(timezone.now()) == 1


def test_a_flood_of_one_project_does_not_keep_the_sweep_from_another(
    make_turn: MakeTurn, companion: Companion
) -> None:
    """Neither by what it has queued, nor by what of it is due longer."""
    for _ in range(TASKS_PER_SWEEP + 5):
        make_turn(of=meet(companion), due=-600)
    broker = NotifyBroker("rapport", project_id=companion.project_id)
    for _ in range(ENOUGH_QUEUED - 1):
        broker.enqueue("a task")
    make_turn(of=meet_elsewhere(), due=-3)

    assert Sweep().run(timezone.now()) == 2
    assert len(set(enqueued_projects())) == 2


def test_each_project_has_its_turn_when_more_is_due_than_a_round_nudges(
    make_turn: MakeTurn,
    companion: Companion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweep_module, "TASKS_PER_SWEEP", 1)
    for _ in range(5):
        make_turn(of=meet(companion), due=-600)
    make_turn(of=meet_elsewhere(), due=-3)
    sweep, now = Sweep(), timezone.now()

    assert [sweep.run(now), sweep.run(now)] == [1, 1]
    assert len(set(enqueued_projects())) == 2


def test_a_round_is_bounded_and_the_next_goes_on(
    make_turn: MakeTurn,
    companion: Companion,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweep_module, "TASKS_PER_SWEEP", 3)
    for _ in range(5):
        make_turn(of=meet(companion), due=-3)
    sweep, now = Sweep(), timezone.now()

    assert [sweep.run(now), sweep.run(now), sweep.run(now)] == [3, 2, 0]
    assert len(set(queued())) == 5


def test_one_long_backlog_does_not_hide_the_relationships_behind_it(
    make_turn: MakeTurn,
    companion: Companion,
    relationship: Relationship,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweep_module, "ROWS_PER_PROJECT", 4)
    for _ in range(10):
        make_turn(due=-60)
    late = meet(companion)
    make_turn(of=late, due=-3)
    sweep, now = Sweep(), timezone.now()

    for _ in range(3):
        sweep.run(now)

    assert set(queued()) == {str(relationship.id), str(late.id)}


@pytest.mark.parametrize(
    ("due", "rest"),
    [
        pytest.param(0.3, 0.3, id="a retry is near"),
        pytest.param(60, 1.0, id="a retry is far"),
        pytest.param(0.001, 0.05, id="not without any rest"),
    ],
)
def test_the_sweep_rests_until_the_next_retry_falls_due(
    due: float, rest: float, make_turn: MakeTurn, settings: Settings
) -> None:
    settings.SWEEP_SECONDS = 1.0
    now = timezone.now()
    make_turn(due_at=now + timedelta(seconds=due), attempts=1)

    assert Sweep().seconds_to_rest(now) == pytest.approx(rest)


def test_with_nothing_to_come_the_sweep_rests_as_long_as_it_is_told(settings: Settings) -> None:
    settings.SWEEP_SECONDS = 7.0

    assert Sweep().seconds_to_rest(timezone.now()) == 7.0
