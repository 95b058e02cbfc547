"""Whose task is next, as the database orders them."""

from collections import Counter
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django_q.models import OrmQ

from relationships.models import Relationship
from worker import worker_stats
from worker.broker import NotifyBroker
from worker.fairness import (
    CLAIM,
    ENOUGH_QUEUED,
    NOBODY,
    RoundRobin,
    others_wait,
    project_of,
    room_for,
)

pytestmark = pytest.mark.django_db

A, B, C = UUID(int=1), UUID(int=2), UUID(int=3)
NAMES = {A: "A", B: "B", C: "C", NOBODY: "?"}


def put(project_id: UUID, count: int = 1) -> None:
    broker = NotifyBroker("rapport", project_id=project_id)
    for _ in range(count):
        broker.enqueue(NAMES[project_id])


def take(count: int) -> str:
    """Whose tasks are claimed next, one after the other."""
    taken = []
    for _ in range(count):
        with connection.cursor() as cursor:
            cursor.execute(CLAIM, ["rapport", 1])
            taken += [payload for _, _, payload in cursor.fetchall()]
    return "".join(taken)


def test_a_single_task_stands_beside_the_first_of_a_flood() -> None:
    put(A, 400)
    assert take(50) == "A" * 50

    put(B)

    assert "B" in take(2)


def test_floods_are_served_in_turn() -> None:
    put(A, 10)
    take(3)
    put(B, 10)
    put(C, 10)

    assert Counter(take(15)) == {"A": 5, "B": 5, "C": 5}
    assert Counter(take(12)) == {"A": 2, "B": 5, "C": 5}


def test_who_comes_back_after_each_task_does_not_pass_those_that_wait() -> None:
    put(A, 20)
    served = ""
    for _ in range(10):
        put(B)
        put(C)
        served += take(3)

    assert Counter(served) == {"A": 10, "B": 10, "C": 10}


def test_a_task_that_nobody_placed_is_claimed_first() -> None:
    put(A, 3)
    OrmQ.objects.create(key="rapport", payload="?", lock="2026-01-01T00:00:00Z")

    assert take(1) == "?"


def test_an_empty_queue_goes_on_from_places_that_no_earlier_task_is_behind() -> None:
    """As an import's, whose transaction began before the queue was emptied and commits after it."""
    put(A, 50)
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(fair_place) FROM django_q_ormq")
        (late,) = cursor.fetchone()
    take(50)

    put(B)

    with connection.cursor() as cursor:
        cursor.execute("SELECT fair_place FROM django_q_ormq")
        assert cursor.fetchone()[0] >= late


def test_queues_have_places_of_their_own() -> None:
    put(A, 20)
    NotifyBroker("another", project_id=A).enqueue("A")
    put(B)

    assert "B" in take(2)


@pytest.mark.parametrize("projects", [1, 1000])
def test_however_much_waits_enqueueing_and_claiming_are_index_probes(projects: int) -> None:
    owners = [uuid4() for _ in range(projects)]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_q_ormq (key, payload, lock, project_id, fair_place)"
            " SELECT 'rapport', 'x', now(), (%s::uuid[])[1 + n %% %s], n / %s FROM generate_series(1, 10000) n",
            [owners, projects, projects],
        )
        cursor.execute("ANALYZE django_q_ormq")

    assert rows_looked_at(lambda: put(B)) < 20
    assert rows_looked_at(lambda: take(1)) < 20


def rows_looked_at(act: Callable[[], object]) -> int:
    """Rows of the queue that were read, by scan or by index, in this transaction."""
    before = _read()
    act()
    return _read() - before


def _read() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_stat_get_xact_tuples_returned('django_q_ormq'::regclass)"
            " + pg_stat_get_xact_tuples_fetched('django_q_ormq'::regclass)"
            " + sum(pg_stat_get_xact_tuples_returned(indexrelid))"
            " FROM pg_index WHERE indrelid = 'django_q_ormq'::regclass"
        )
        return int(cursor.fetchone()[0])


def test_room_is_counted_by_project() -> None:
    put(A, 3)
    put(B, ENOUGH_QUEUED + 2)

    assert room_for([A, B, C]) == {A: ENOUGH_QUEUED - 3, B: 0, C: ENOUGH_QUEUED}


def test_a_choice_takes_the_first_of_each_before_the_second_of_any() -> None:
    choice = RoundRobin().choose({A: "aaaa", B: "b", C: "cc"}, most=6)

    assert "".join(row for _, row in choice) == "abcaca"
    assert choice[1] == (B, "b")


def test_the_next_choice_begins_behind_the_last() -> None:
    round_robin = RoundRobin()

    chosen = [round_robin.choose({A: "a", B: "b", C: "c"}, most=2) for _ in range(3)]

    assert ["".join(row for _, row in choice) for choice in chosen] == ["ab", "ca", "bc"]
    assert round_robin.choose({}, most=2) == []


def test_a_relationship_tells_its_project_and_an_erased_one_nobody(relationship: Relationship) -> None:
    assert project_of(relationship.id) == relationship.project_id
    assert project_of(uuid4()) == NOBODY


def test_others_wait_while_the_pool_holds_what_none_of_its_processes_has_taken() -> None:
    shared = worker_stats.WorkerStats()
    worker_stats.use(shared)
    try:
        shared.take_slot()
        worker_stats.note_handed(2)
        assert others_wait()
        shared.note_taken()
        shared.note_taken()
        assert not others_wait()
    finally:
        worker_stats.use(None)
        shared.close()


def test_outside_a_worker_nobody_waits() -> None:
    put(A)

    assert not others_wait()
