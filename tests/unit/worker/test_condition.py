from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from memory.models import SearchText
from relationships.models import Companion, ModelSpending, Project, Relationship, TurnState
from tests.fixtures.index import configure
from tests.fixtures.people import meet
from tests.fixtures.queue import MakeTurn, held_by
from tests.fixtures.turns import Conversation
from worker import condition as condition_module
from worker.condition import (
    NEXT_CAUSE,
    TRIED,
    UNTRIED,
    Asked,
    read_asked,
    read_condition,
    read_tried,
    read_waits,
)
from worker.enqueue import enqueue
from worker.heartbeat import beat
from worker.models import WorkerHeartbeat

pytestmark = pytest.mark.django_db


def waiting(reason: str, *, seconds: float, on: str = "") -> dict[str, Any]:
    """The fields of a turn that was given back, and is tried again a minute from now."""
    since = timezone.now() - timedelta(seconds=seconds)
    return {"due": 60, "waiting_since": since, "error_code": reason, "waits_on": on}


def told() -> dict[tuple[str, str], tuple[int, float]]:
    """By reason and provider: how many turns, and for how long the oldest."""
    return {(wait.reason, wait.provider): (wait.turns, round(wait.seconds, -1)) for wait in read_waits()}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"due": -40}, {("due", ""): (1, 40)}, id="due"),
        pytest.param({"due": 600}, {}, id="not due yet"),
        pytest.param({"due_at": None, "waits_for": "explicit"}, {}, id="waits for its trigger"),
        pytest.param({"state": TurnState.FAILED, "due_at": None}, {}, id="failed for good"),
    ],
)
def test_a_turn_waits_since_it_could_have_been_read(
    fields: dict[str, Any], expected: dict[tuple[str, str], tuple[int, float]], make_turn: MakeTurn
) -> None:
    make_turn(**fields, recorded_at=timezone.now() - timedelta(hours=5))

    assert told() == expected


def test_one_that_was_tried_in_vain_waits_since_then_whenever_its_next_try_is(make_turn: MakeTurn) -> None:
    make_turn(**waiting("unauthorized", seconds=320, on="gemini"))

    assert told() == {("unauthorized", "gemini"): (1, 320)}


def test_the_turns_behind_one_that_waits_wait_for_the_same(make_turn: MakeTurn) -> None:
    make_turn(**waiting("quota_exhausted", seconds=100, on="openai"))
    make_turn(due=-50)
    make_turn(due=-40)

    assert told() == {("quota_exhausted", "openai"): (3, 100)}


def test_one_that_is_just_being_tried_again_waits_still_and_so_do_those_behind_it(
    make_turn: MakeTurn,
) -> None:
    again = {**waiting("timeout", seconds=320, on="gemini"), **held_by("somebody")}
    make_turn(**again)
    make_turn(due=-50)

    assert told() == {("timeout", "gemini"): (2, 320)}


def test_the_turns_behind_one_that_is_read_wait_for_its_end(make_turn: MakeTurn) -> None:
    make_turn(**held_by("somebody"))
    make_turn(due=-400)

    assert told() == {("reading", ""): (1, 0)}


def test_a_long_backlog_is_as_old_as_the_end_of_the_turn_before_it(make_turn: MakeTurn) -> None:
    make_turn(state=TurnState.APPLIED, settled_at=timezone.now() - timedelta(seconds=20))
    make_turn(due=-4000)

    assert told() == {("due", ""): (1, 20)}


def test_relationships_are_told_apart_by_project_and_reason_only(
    make_turn: MakeTurn, companion: Companion, project: Project
) -> None:
    for _ in range(3):
        make_turn(of=meet(companion), **waiting("timeout", seconds=10, on="gemini"))
    make_turn(of=meet(companion), **waiting("budget", seconds=30))

    assert told() == {("timeout", "gemini"): (3, 10), ("budget", ""): (1, 30)}
    assert {wait.project_id for wait in read_waits()} == {project.id}


def test_no_statement_reads_the_whole_table_of_turns(make_turn: MakeTurn, relationship: Relationship) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO relationships_turn (relationship_id, id, project_id, seq, session, occurred_at, recorded_at,
                 due_at, config, state, attempts, leased_by, error_code, error, model_call_ids, waits_for, tags, category, modality)
               SELECT %s, gen_random_uuid(), %s, n + 1000, 's', now(), now(), now(), '{}',
                 CASE WHEN n %% 2 = 0 THEN 'applied' ELSE 'pending' END, 0, '', '', '', '{}', '', '{}', '', ''
                 FROM generate_series(1, 10000) n""",
            [relationship.id, relationship.project_id],
        )
        cursor.execute("ANALYZE relationships_turn")
        plans = []
        told: dict[str, Any] = {
            "limit": 100,
            "reading": "reading",
            "due": "due",
            "queue": "rapport",
            "cause": "gemini",
            "project": relationship.project_id,
            "after": None,
        }
        for statement in (NEXT_CAUSE, TRIED.format(project="%(project)s"), UNTRIED, condition_module._COUNTS):
            cursor.execute(f"EXPLAIN {statement}", told)
            plans += [row[0] for row in cursor.fetchall()]

    assert "Seq Scan on relationships_turn" not in "\n".join(plans)
    assert "turn_waiting_in_project" in "\n".join(plans)


def test_projects_that_asked_are_counted_once_and_those_that_were_answered_lately(
    project: Project, settings: Settings
) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    now = timezone.now()

    def asked(project_id: UUID, day: date, answered_at: datetime | None) -> None:
        ModelSpending.objects.create(project_id=project_id, day=day, answered_at=answered_at)

    today = now.astimezone(UTC).date()
    asked(project.id, today, now - timedelta(seconds=30))
    asked(project.id, today - timedelta(days=1), now - timedelta(days=1))
    asked(Project.objects.create(name="Not answered").id, today, None)
    asked(Project.objects.create(name="Long ago").id, today - timedelta(days=9), now)

    assert read_asked() == Asked(projects=2, answered=1)


def test_what_one_project_waits_for_by_itself_can_not_hide_what_all_wait_for(make_turn: MakeTurn) -> None:
    for _ in range(4):
        make_turn(**waiting("budget", seconds=5000))
    make_turn(**waiting("unauthorized", seconds=400, on="openai"))
    make_turn(**waiting("timeout", seconds=300, on="gemini"))

    found = {(code, provider): turns for _, code, provider, turns, _ in read_tried(3)}

    assert found == {("budget", ""): 3, ("unauthorized", "openai"): 1, ("timeout", "gemini"): 1}


@pytest.mark.parametrize(("reason", "provider"), [("budget", ""), ("timeout", "openai")])
def test_many_turns_of_one_project_hide_no_others_that_wait_for_the_same(
    reason: str, provider: str, make_turn: MakeTurn
) -> None:
    for _ in range(4):
        make_turn(**waiting(reason, seconds=5000, on=provider))
    other = Project.objects.create(name="Another")
    make_turn(
        of=meet(Companion.objects.create(project=other, slug="bob")),
        **waiting(reason, seconds=40, on=provider),
    )

    found = {project_id: (turns, round(seconds, -1)) for project_id, _, _, turns, seconds in read_tried(4)}

    assert len(found) == 2
    assert found[other.id] == (1, 40) and (2, 5000) in found.values()


def test_the_number_of_projects_makes_no_more_statements(
    make_turn: MakeTurn, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        project = Project.objects.create(name=f"Project {number}")
        companion = Companion.objects.create(project=project, slug="bob")
        make_turn(of=meet(companion), **waiting("budget", seconds=30))

    with django_assert_num_queries(8):
        assert len(read_waits()) == 3


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


def test_texts_without_their_vector_are_counted_and_due_ones_hide_no_retry(
    relationship: Relationship, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(condition_module, "COUNT_LIMIT", 2)
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
    make_turn: MakeTurn, relationship: Relationship, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        make_turn(due=-number)
    enqueue(relationship.id, project_id=relationship.project_id)

    with django_assert_num_queries(6):
        assert read_condition().queued == 1


def test_counting_stops_at_its_limit(make_turn: MakeTurn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condition_module, "COUNT_LIMIT", 2)
    for _ in range(3):
        make_turn(due=-20)

    assert read_condition().turns.due == 2
    assert told() == {("due", ""): (2, 20)}


def test_a_worker_is_alive_for_as_long_as_it_is_heard() -> None:
    for name, seconds in (("one:1:1", 1), ("two:1:1", 100)):
        beat(name=name, pool_restarts=3, counters={"model_calls": 7})
        WorkerHeartbeat.objects.filter(name=name).update(beat_at=timezone.now() - timedelta(seconds=seconds))

    condition = read_condition()

    assert [(worker.name, worker.alive) for worker in condition.workers] == [
        ("one:1:1", True),
        ("two:1:1", False),
    ]
    assert condition.workers[0].counters["model_calls"] == 7
    assert condition.beat_age_seconds == pytest.approx(1, abs=1)
