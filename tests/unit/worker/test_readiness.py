from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from config.checks import check_schema
from config.postgresql.migrations import pending_migrations
from config.postgresql.sessions import execute
from providers.errors import Unauthorized
from relationships.models import Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer
from worker.condition import Asked, QueueCondition, TurnCounts, Wait, WorkerCondition
from worker.heartbeat import beat
from worker.models import WorkerHeartbeat
from worker.readiness import (
    blockers,
    check_readiness,
    embedder_in_use,
    provider_in_use,
    reasons_for_alarm,
)

pytestmark = pytest.mark.django_db

TURNS = TurnCounts(due=0, retrying=0, untriggered=0, processing=0, failed=0, stored=0)
WORKER = WorkerCondition("one:1:1", 0.5, 0)


@pytest.fixture(autouse=True)
def limits(settings: Settings) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    settings.DEFAULT_LLM_PROVIDER = "gemini"


def condition(*waits: Wait, asked: int = 0, answered: int = 0) -> QueueCondition:
    return QueueCondition(
        turns=TURNS, queued=0, workers=(WORKER,), waits=waits, asked=Asked(projects=asked, answered=answered)
    )


def wait(reason: str, provider: str = "", *, seconds: float = 320, turns: int = 4) -> Wait:
    """Of a project of its own."""
    return Wait(uuid4(), reason, provider, turns, seconds)


def is_red(told: QueueCondition) -> bool:
    return bool(reasons_for_alarm(told, blockers(told)))


def test_a_refused_key_of_the_default_provider_is_an_alarm_however_many_others_were_answered() -> None:
    told = condition(wait("unauthorized", "gemini"), wait("unauthorized", "gemini"), asked=9, answered=9)

    assert reasons_for_alarm(told, blockers(told)) == [
        "provider: 'gemini' holds up 8 turns of 2 projects, the oldest for 320 s (unauthorized): "
        "The provider does not accept the API key; check it in the settings."
    ]


@pytest.mark.parametrize(
    "reason", ["quota_exhausted", "model_not_found", "external_refused", "misconfigured"]
)
def test_so_is_whatever_else_of_it_an_operator_must_mend(reason: str) -> None:
    assert is_red(condition(wait(reason, "gemini"), asked=9, answered=9))


def test_nothing_is_an_alarm_before_the_limit() -> None:
    assert not is_red(condition(wait("unauthorized", "gemini", seconds=299), wait("due", seconds=299)))


@pytest.mark.parametrize("reason", ["unavailable", "timeout", "rate_limited", "empty_answer"])
def test_the_default_provider_failing_is_an_alarm_when_fewer_projects_were_answered_than_wait(
    reason: str,
) -> None:
    assert is_red(condition(wait(reason, "gemini"), asked=9, answered=0))
    assert is_red(condition(wait(reason, "gemini"), wait(reason, "gemini"), asked=9, answered=1))
    assert not is_red(condition(wait(reason, "gemini"), asked=9, answered=1))


def test_one_projects_own_provider_is_no_alarm_and_that_of_most_is() -> None:
    assert not is_red(condition(wait("unauthorized", "openai"), asked=2, answered=0))
    assert is_red(condition(wait("unauthorized", "openai"), wait("unauthorized", "openai"), asked=3))


@pytest.mark.parametrize("reason", ["budget", "model_not_found", "internal_error"])
def test_what_is_a_projects_own_matter_is_never_an_alarm_and_is_told(reason: str) -> None:
    told = condition(wait(reason, seconds=90_000), asked=1)

    (found,) = blockers(told)

    assert not is_red(told)
    assert (found.reason, found.turns, found.projects) == (reason, 4, 1)
    assert found.sentence.startswith(
        "project: their own project holds up 4 turns of 1 project, the oldest for 90000 s"
    )


def test_turns_that_nobody_takes_are_an_alarm() -> None:
    told = condition(wait("due", seconds=410, turns=1))

    assert reasons_for_alarm(told, blockers(told)) == [
        "queue: nobody has taken 1 turn of 1 project that could be read, the oldest for 410 s"
    ]


def test_a_flood_or_an_old_import_of_one_project_is_none_while_others_are_answered() -> None:
    told = condition(wait("due", seconds=800_000_000, turns=5000), asked=2, answered=2)

    assert not is_red(told)
    assert [found.reason for found in blockers(told)] == ["due"]


def test_what_is_being_read_hinders_nobody() -> None:
    assert blockers(condition(wait("reading", seconds=4000))) == []


@pytest.fixture
def worker_beats() -> None:
    beat(name="here/1c0ffee2:1:2", pool_restarts=0, counters={})


def test_a_worker_that_fell_silent_is_a_reason(worker_beats: None) -> None:
    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=90))

    assert check_readiness(work=True).reasons == ["worker: none has reported for 90 s; run manage.py worker"]


def test_a_refused_key_turns_it_red_until_a_turn_is_read_again(
    worker_beats: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(Unauthorized(), answer(add("Likes tea")))
    turn = conversation.hear("I like tea.")
    rows = Turn.objects.for_relationship(turn.relationship_id)
    rows.update(waiting_since=timezone.now() - timedelta(seconds=320))

    (reason,) = check_readiness(work=True).reasons
    assert reason.startswith("provider: 'scripted' holds up 1 turn of 1 project, the oldest for 3")
    assert "(unauthorized)" in reason
    assert check_readiness().ready

    rows.update(due_at=timezone.now())
    conversation.drain()
    assert (check_readiness(work=True).ready, rows.get().waiting_since) == (True, None)


def test_migrations_that_are_not_applied_are_named(worker_beats: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0002_fair_queue'")
        cursor.execute("ALTER TABLE relationships_workerheartbeat RENAME TO not_there_yet")

    assert pending_migrations() == ["worker.0002_fair_queue"]
    assert check_readiness(work=True).reasons == check_readiness().reasons
    assert check_readiness().reasons == [
        "migrations: worker.0002_fair_queue not applied; run manage.py migrate"
    ]


def test_an_empty_search_path_is_not_taken_for_a_database_without_tables() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path = ''")

    (reason,) = check_readiness().reasons

    assert reason.startswith("database: a session's search_path is empty")


@pytest.mark.parametrize(("ahead", "side"), [(3600, "3600 s ahead of"), (-3600, "3600 s behind")])
def test_a_clock_that_differs_from_the_databases_is_named_wherever_it_is(
    ahead: int, side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(seconds=ahead))
    beat(name="one:1:1", pool_restarts=0, counters={})
    (own,) = check_readiness().reasons
    assert own.startswith(f"clock: that of this machine is {side} the database's")

    monkeypatch.undo()
    (a_workers,) = check_readiness(work=True).reasons
    assert a_workers.startswith(f"clock: that of worker one:1:1 is {side} the database's")
    assert check_readiness().ready


def test_a_worker_with_another_secret_key_is_named(worker_beats: None, settings: Settings) -> None:
    settings.SECRET_KEY = "of another machine " * 3

    (reason,) = check_readiness(work=True).reasons
    assert reason.startswith("worker: here/1c0ffee2:1:2 has another RAPPORT_SECRET_KEY than this machine")
    assert check_readiness().ready


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "INSERT INTO django_migrations (app, name, applied) VALUES ('memory', '0099_what_comes', now())",
            "newer version (memory.0099_what_comes)",
        ),
        (
            "ALTER TABLE memory_mendingplan DROP COLUMN left_out",
            "lacks columns (left_out of memory_mendingplan)",
        ),
    ],
    ids=["newer", "incomplete"],
)
def test_a_schema_that_is_not_this_versions_is_named_wherever_an_operator_looks(
    statement: str, said: str, worker_beats: None
) -> None:
    assert check_schema(databases=["default"]) == []
    assert check_readiness(work=True).reasons == []
    execute(statement)

    (found,) = check_schema(databases=["default"])
    assert (found.id, said in found.msg) == ("rapport.W006", True)
    assert check_readiness(work=True).reasons == [f"migrations: {found.msg}"]
    assert check_readiness().ready, "it may be able to serve, as amid an upgrade"
    told = StringIO()
    call_command("migrate", verbosity=0, stderr=told)
    assert found.msg in told.getvalue()


def test_before_the_first_migration_all_are_pending() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME TO no_migrations_yet")

    assert "relationships.0001_people_and_turns" in pending_migrations()


def test_providers_are_named_without_their_keys(settings: Settings) -> None:
    settings.DEFAULT_LLM_PROVIDER = "openai"
    settings.LLM_PROVIDERS = {
        "openai": {
            "BACKEND": "providers.llm.openai.OpenAIProvider",
            "OPTIONS": {
                "api_key": "secret",
                "base_url": "http://me:secret@localhost:11434/v1",
                "model": "llama",
            },
        }
    }

    settings.EMBEDDING_PROVIDERS, settings.DEFAULT_EMBEDDING_PROVIDER = settings.LLM_PROVIDERS, "openai"

    assert (
        embedder_in_use()
        == provider_in_use()
        == {"alias": "openai", "model": "llama", "host": "localhost:11434"}
    )
