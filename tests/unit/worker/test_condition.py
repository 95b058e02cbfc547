from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.models import SearchText
from relationships.models import Relationship, TurnState
from tests.fixtures.index import configure
from tests.fixtures.queue import MakeTurn, held_by
from tests.fixtures.turns import Conversation
from worker import condition as condition_module
from worker.condition import read_condition
from worker.heartbeat import beat
from worker.models import WorkerHeartbeat
from worker.nudge import nudge

pytestmark = pytest.mark.django_db


def test_an_empty_service_owes_nothing() -> None:
    condition = read_condition()

    assert (condition.oldest_seconds, condition.queued, condition.workers) == (0.0, 0, ())
    assert condition.beat_age_seconds is None


def test_turns_are_counted_by_what_they_wait_for(make_turn: MakeTurn) -> None:
    make_turn()
    make_turn(due=-5)
    make_turn(due=60, attempts=1)
    make_turn(due_at=None, waits_for="explicit")
    make_turn(**held_by("somebody"))
    make_turn(state=TurnState.FAILED, due_at=None)
    make_turn(state=TurnState.APPLIED)

    turns = read_condition().turns

    assert (turns.due, turns.retrying, turns.untriggered, turns.processing, turns.failed) == (2, 1, 1, 1, 1)


def test_a_wrong_key_is_a_try_in_vain_though_it_is_no_attempt(make_turn: MakeTurn) -> None:
    make_turn(due=60, waiting_since=timezone.now(), error_code="unauthorized", waits_on="gemini")

    turns = read_condition().turns

    assert (turns.due, turns.retrying) == (0, 1)


def test_texts_without_their_vector_are_counted(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="offline")
    due, waiting, _ = conversation.remember("Likes tea", "Has a cat", "Sings")
    now = timezone.now()
    rows = SearchText.objects.for_relationship(relationship.id)
    rows.filter(owner_id=due.id).update(due_at=now - timedelta(seconds=40))
    rows.filter(owner_id=waiting.id).update(
        due_at=now + timedelta(seconds=60), attempts=2, error_code="timeout"
    )

    vectors = read_condition().vectors

    assert (vectors.owed, vectors.retrying) == (3, 1)
    assert vectors.oldest_seconds == pytest.approx(40, abs=2)


def test_the_whole_condition_takes_a_fixed_number_of_statements(
    make_turn: MakeTurn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        make_turn(due=-number)

    with django_assert_num_queries(6):
        read_condition()


def test_counting_stops_at_its_limit(make_turn: MakeTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condition_module, "COUNT_LIMIT", 2)
    for _ in range(3):
        make_turn()

    assert read_condition().turns.due == 2


def test_nudges_in_the_queue_are_counted(relationship: Relationship) -> None:
    nudge(relationship.id, project_id=relationship.project_id)

    assert read_condition().queued == 1


def test_a_worker_is_alive_for_as_long_as_it_is_heard() -> None:
    for name, seconds in (("one:1:1", 1), ("two:1:1", 100)):
        beat(name=name, pool_restarts=3, counters={"model_calls": 7})
        WorkerHeartbeat.objects.filter(name=name).update(beat_at=timezone.now() - timedelta(seconds=seconds))

    condition = read_condition()

    assert [(worker.name, worker.alive) for worker in condition.workers] == [
        ("one:1:1", True),
        ("two:1:1", False),
    ]
    assert condition.workers[0].counters == {"model_calls": 7}
    assert condition.beat_age_seconds == pytest.approx(1, abs=1)


def test_no_count_reads_the_whole_table_of_turns(make_turn: MakeTurn, relationship: Relationship) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO relationships_turn (relationship_id, id, project_id, seq, session, occurred_at, recorded_at,
                 config, state, attempts, leased_by, error_code, error, model_call_ids, waits_for)
               SELECT %s, gen_random_uuid(), %s, n + 1000, 's', now(), now(), '{}', 'applied', 0, '', '', '',
                 '{}', '' FROM generate_series(1, 5000) n""",
            [relationship.id, relationship.project_id],
        )
        cursor.execute("ANALYZE relationships_turn")
        cursor.execute(f"EXPLAIN {condition_module._COUNTS}", {"limit": 100, "queue": "rapport"})
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "Seq Scan on relationships_turn" not in plan
