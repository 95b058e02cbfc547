from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from relationships.ids import relationship_id
from relationships.models import Companion, EndUser, ModelSpending, Project, Relationship, TurnState
from tests.fixtures.queue import MakeTurn, held_by
from worker import condition as waits_module
from worker.condition import Asked, read_asked, read_waits

pytestmark = pytest.mark.django_db

NewRelationship = Callable[[], Relationship]


@pytest.fixture
def another(companion: Companion, project: Project) -> NewRelationship:
    """Another person of the project, with the same companion."""

    def make() -> Relationship:
        user = EndUser.objects.create(project=project, external_id=f"person {EndUser.objects.count()}")
        return Relationship.objects.create(
            id=relationship_id(companion.id, user.id), project=project, companion=companion, user=user
        )

    return make


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
    make_turn: MakeTurn, another: NewRelationship, project: Project
) -> None:
    for _ in range(3):
        make_turn(of=another(), **waiting("timeout", seconds=10, on="gemini"))
    make_turn(of=another(), **waiting("budget", seconds=30))

    assert told() == {("timeout", "gemini"): (3, 10), ("budget", ""): (1, 30)}
    assert {wait.project_id for wait in read_waits()} == {project.id}


def test_no_statement_reads_the_whole_table_of_turns(make_turn: MakeTurn, relationship: Relationship) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO relationships_turn (relationship_id, id, project_id, seq, session, occurred_at, recorded_at,
                 due_at, config, state, attempts, leased_by, error_code, error, model_call_ids, waits_for)
               SELECT %s, gen_random_uuid(), %s, n + 1000, 's', now(), now(), now(), '{}',
                 CASE WHEN n %% 2 = 0 THEN 'applied' ELSE 'pending' END, 0, '', '', '', '{}', ''
                 FROM generate_series(1, 10000) n""",
            [relationship.id, relationship.project_id],
        )
        cursor.execute("ANALYZE relationships_turn")
        plans = []
        for statement in (waits_module.TRIED, waits_module.UNTRIED):
            cursor.execute(f"EXPLAIN {statement}", {"limit": 100, "reading": "reading", "due": "due"})
            plans += [row[0] for row in cursor.fetchall()]

    assert "Seq Scan on relationships_turn" not in "\n".join(plans)
    assert "turn_waiting" in "\n".join(plans)


def test_looking_stops_at_its_limit(
    make_turn: MakeTurn, another: NewRelationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits_module, "COUNT_LIMIT", 2)
    for _ in range(3):
        make_turn(of=another(), **waiting("timeout", seconds=10, on="gemini"))

    assert told() == {("timeout", "gemini"): (2, 10)}


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

    with connection.cursor() as cursor:
        cursor.execute(waits_module.TRIED, {"limit": 3})
        found = {(code, provider): turns for _, code, provider, turns, _ in cursor.fetchall()}

    assert found == {("budget", ""): 3, ("unauthorized", "openai"): 1, ("timeout", "gemini"): 1}
