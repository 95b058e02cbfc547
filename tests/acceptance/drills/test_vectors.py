"""Texts owe their vectors until they have them, whoever is killed in between and however the embedder fails."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from memory.models import Embedding, SearchText
from relationships.models import Companion, Relationship
from tests.acceptance.drills.conftest import QUICK
from tests.acceptance.drills.talk import scaled
from tests.acceptance.processes import LiveProcess, events_in
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.drill

TURNS, PEOPLE = scaled(20, 200), 4
KILLS = scaled(3, 10)
FAILURES: list[dict[str, Any]] = [
    {"status": 429, "retry_after": 0},
    {"status": 500},
    {"drop": True},
    {"raw": "<html>Bad gateway</html>", "status": 502, "content_type": "text/html"},
]


@pytest.fixture
def vendor() -> Iterator[OpenAIServer]:
    with OpenAIServer(latency=0.05) as server:
        yield server


@pytest.fixture
def embedding(live: LiveService, vendor: OpenAIServer) -> LiveService:
    """Turns are kept unread; each message owes a vector of the vendor's."""
    live.companion_config = {
        "ingestion": {"enabled": False},
        "retrieval": {"embedder": "openai", "embed_messages": True},
    }
    live.settings |= QUICK | {
        "RAPPORT_LEASE_SECONDS": "5",
        "RAPPORT_PROVIDER_DEADLINE": "5",
        "RAPPORT_EMBEDDING_DEADLINE": "5",
        "OPENAI_BASE_URL": vendor.url,
        "OPENAI_API_KEY": "k",
        "RAPPORT_OPENAI_EMBEDDING_MODEL": "first-model",
    }
    return live


def talk(live: LiveService) -> list[Relationship]:
    people = live.new_relationships(PEOPLE)
    for number in range(TURNS):
        live.say(people[number % PEOPLE], f"fact {number}")
    return people


def embedded(model: str = "first-model") -> int:
    return Embedding.objects.filter(model=model).count()


def wait_for(goal: int) -> None:
    wait_until(lambda: embedded() >= goal, timeout=90, what=f"{goal} of {TURNS} vectors")


def require_each_embedded_once(count: int = TURNS) -> None:
    wait_until(
        lambda: not SearchText.objects.exclude(due_at=None).exists(),
        timeout=60,
        what="nothing to be owed",
    )
    texts = {(row.owner_id, bytes(row.text_hash)) for row in SearchText.objects.all()}
    vectors = [(row.owner_id, bytes(row.text_hash)) for row in Embedding.objects.all()]
    assert len(texts) == count
    assert sorted(vectors) == sorted(texts)
    assert not SearchText.objects.exclude(error_code="").exists()


def test_whoever_is_killed_and_however_the_embedder_fails_every_text_gets_its_vector_once(
    embedding: LiveService, vendor: OpenAIServer
) -> None:
    calls, failures = itertools.count(), itertools.cycle(FAILURES)
    vendor.respond = lambda body: next(failures) if next(calls) % 2 == 0 else {}
    chance = random.Random(0)
    worker = embedding.start_worker()
    worker.wait_until_in_order()
    people = talk(embedding)

    for kill in range(KILLS):
        chance.choice([*worker.readers(), *worker.readers(), *worker.maintenance_processes()]).kill()
        worker.wait_until_in_order()
        embedding.say(people[kill % PEOPLE], f"fact {kill}")
    worker.kill_all()
    embedding.start_worker()

    wait_for(TURNS + KILLS)
    require_each_embedded_once(TURNS + KILLS)


def test_a_wrong_key_is_seen_and_mended_without_losing_a_text(
    embedding: LiveService, vendor: OpenAIServer
) -> None:
    vendor.key = "another"
    talk(embedding)
    worker = embedding.start_worker()
    blocked = SearchText.objects.filter(error_code="unauthorized", attempts=0)
    wait_until(lambda: blocked.count() == TURNS, timeout=60, what="every text to say why it waits")
    assert "indexing.texts.waiting" in events_in(worker.log)

    worker.stop()
    vendor.key = "k"
    SearchText.objects.update(due_at="2026-01-01T00:00:00Z")  # the minute's rest is over
    embedding.start_worker()

    wait_for(TURNS)
    require_each_embedded_once()


def test_a_move_that_is_killed_goes_on_and_changes_over_when_it_is_complete(
    embedding: LiveService, vendor: OpenAIServer
) -> None:
    talk(embedding)
    worker = embedding.start_worker()
    wait_for(TURNS)
    worker.stop()  # to it, `default` stands for the first model
    vendor.latency = 0.2

    first = move(embedding)
    wait_until(lambda: embedded("second-model") > 0, timeout=60, what="the first vectors of the new model")
    first.kill_all()
    done = embedded("second-model")
    assert 0 < done < TURNS
    assert embedded() == TURNS, "searches go on in the old space"
    assert Companion.objects.get().config["retrieval"]["embedder"] == "openai"

    asked = vendor.asked
    second = move(embedding)
    assert second.wait() == 0, second.log

    assert (embedded(), embedded("second-model")) == (0, TURNS)
    assert Companion.objects.get().config["retrieval"]["embedder"] == "default"
    assert vendor.asked - asked <= TURNS - done + 1, "what was done is not asked for again"


def move(embedding: LiveService) -> LiveProcess:
    """To `default`, which stands for the second model there; a text at a time, so that a kill finds it half-way."""
    return embedding.start_command(
        "reembed",
        *("--companion", "ada", "--embedder", "default", "--batch", "1"),
        RAPPORT_EMBEDDING_PROVIDER="openai",
        RAPPORT_OPENAI_EMBEDDING_MODEL="second-model",
    )
