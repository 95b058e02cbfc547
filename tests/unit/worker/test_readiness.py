from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from providers.errors import ModelNotFound, Unauthorized
from relationships.models import Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer
from worker.heartbeat import beat
from worker.models import WorkerHeartbeat
from worker.readiness import (
    check_readiness,
    embedder_in_use,
    limit_statements,
    pending_migrations,
    provider_in_use,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker_beats() -> None:
    beat(name="here/1c0ffee2:1:2", pool_restarts=0, counters={})


def test_with_a_worker_that_is_heard_work_is_being_done(worker_beats: None) -> None:
    work = check_readiness(work=True)

    assert work.ready
    assert work.reasons == []


def test_without_a_worker_it_is_not_and_yet_this_instance_can_serve() -> None:
    assert check_readiness(work=True).reasons == ["worker: none has reported; run manage.py worker"]
    assert check_readiness().ready


def test_a_worker_that_fell_silent_is_a_reason(worker_beats: None) -> None:
    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=90))

    assert check_readiness(work=True).reasons == ["worker: none has reported for 90 s; run manage.py worker"]


def test_a_refused_key_turns_it_red_until_a_turn_is_read_again(
    worker_beats: None, conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    scripted_provider.answer_with(Unauthorized(), answer(add("Likes tea")))
    turn = conversation.hear("I like tea.")
    rows = Turn.objects.for_relationship(turn.relationship_id)
    rows.update(waiting_since=timezone.now() - timedelta(seconds=320))

    (reason,) = check_readiness(work=True).reasons
    assert reason.startswith(
        "provider: 'scripted' holds up 1 turn of 1 project, the oldest for 320 s (unauth"
    )
    assert check_readiness().ready

    rows.update(due_at=timezone.now())
    conversation.drain()
    assert (check_readiness(work=True).ready, rows.get().waiting_since) == (True, None)


def test_a_model_that_a_project_names_itself_is_its_own_matter(
    worker_beats: None, conversation: Conversation, scripted_provider: ScriptedProvider, settings: Settings
) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    scripted_provider.answer_with(ModelNotFound())
    conversation.hear("I like tea.", ingestion={"model": "no-such-model"})
    Turn.objects.update(waiting_since=timezone.now() - timedelta(seconds=320))

    work = check_readiness(work=True)

    assert work.ready
    assert [(found.reason, found.provider) for found in work.degraded] == [("model_not_found", "")]


def test_migrations_that_are_not_applied_are_named(worker_beats: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0002_fair_queue'")

    assert pending_migrations() == ["worker.0002_fair_queue"]
    assert check_readiness(work=True).reasons == check_readiness().reasons
    assert check_readiness().reasons == [
        "migrations: worker.0002_fair_queue not applied; run manage.py migrate"
    ]


def test_before_the_first_migration_all_are_pending() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE django_migrations RENAME TO no_migrations_yet")

    assert "relationships.0001_people_and_turns" in pending_migrations()


def test_a_statement_that_hangs_is_cut_off() -> None:
    with connection.cursor() as cursor:
        limit_statements()
        cursor.execute("SHOW statement_timeout")

        assert cursor.fetchone()[0] == "2s"


def test_the_provider_is_named_without_its_key(settings: Settings) -> None:
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

    assert provider_in_use() == {"alias": "openai", "model": "llama", "host": "localhost:11434"}


def test_the_embedder_in_use_is_named_without_its_key(settings: Settings) -> None:
    options = {"model": "nomic-embed-text", "base_url": "http://localhost:11434/v1", "api_key": "secret"}
    settings.EMBEDDING_PROVIDERS = {"openai": {"BACKEND": "providers.embeddings.openai", "OPTIONS": options}}
    settings.DEFAULT_EMBEDDING_PROVIDER = "openai"

    assert embedder_in_use() == {"alias": "openai", "model": "nomic-embed-text", "host": "localhost:11434"}
