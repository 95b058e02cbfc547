from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.queue.heartbeat import beat
from memory.queue.readiness import (
    check_readiness,
    embedder_in_use,
    limit_statements,
    pending_migrations,
    provider_in_use,
)
from relationships.models import WorkerHeartbeat
from tests.fixtures.queue import MakeTurn

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker_beats() -> None:
    beat(name="here/1c0ffee2:1:2", pool_restarts=0, counters={})


def test_with_a_worker_that_is_heard_the_service_is_ready(worker_beats: None) -> None:
    readiness = check_readiness()

    assert readiness.ready
    assert readiness.reasons == []


def test_without_a_worker_it_is_not() -> None:
    assert check_readiness().reasons == ["worker: none has reported; run manage.py worker"]


def test_a_worker_that_fell_silent_is_a_reason(worker_beats: None) -> None:
    WorkerHeartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=90))

    assert check_readiness().reasons == ["worker: none has reported for 90 s; run manage.py worker"]


def test_a_turn_that_is_retried_for_too_long_is_a_reason_and_its_success_ends_it(
    worker_beats: None, make_turn: MakeTurn, settings: Settings
) -> None:
    settings.OLDEST_TURN_LIMIT_SECONDS = 300
    turn = make_turn(due=500, attempts=5, recorded_at=timezone.now() - timedelta(seconds=400))

    (reason,) = check_readiness().reasons
    assert reason.startswith("turns: a turn has waited for 400 s, longer than 300 s; 1 are being retried")

    type(turn).objects.for_relationship(turn.relationship_id).update(state="applied")
    assert check_readiness().ready


def test_migrations_that_are_not_applied_are_named(worker_beats: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE name = '0003_queue_claim_index'")

    assert pending_migrations() == ["memory.0003_queue_claim_index"]
    assert check_readiness().reasons == [
        "migrations: memory.0003_queue_claim_index not applied; run manage.py migrate"
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
            "BACKEND": "memory.providers.openai.OpenAIProvider",
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
    settings.EMBEDDING_PROVIDERS = {"openai": {"BACKEND": "memory.embedders.openai", "OPTIONS": options}}
    settings.DEFAULT_EMBEDDING_PROVIDER = "openai"

    assert embedder_in_use() == {"alias": "openai", "model": "nomic-embed-text", "host": "localhost:11434"}
