"""A call that outlasts its lease is asked once and kept once: while it runs the lease is renewed."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.ingestion.claim import claim_turns
from memory.ingestion.replays import enqueue_owed_replays, request_replay, run_replay
from memory.ingestion.sweep import Sweep, release_dead_leases
from memory.models import Embedding, ModelCall, Replay, ReplayState, SearchText
from memory.retrieval.index.embed import embed_owed
from providers.llm.registry import reset_providers
from relationships.models import Companion, Relationship, Turn, TurnState
from tests.fakes import ScriptedEmbedder, ScriptedProvider
from tests.fixtures.index import configure
from tests.fixtures.turns import PERSON, Conversation, add, answer
from tests.vendor_servers.openai_server import OpenAIServer
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def short_leases(settings: Settings) -> None:
    settings.LEASE_SECONDS = 0.6


def outlast(read: Callable[[], datetime | None]) -> None:
    """Go on answering until the lease that held when the question came is over and another holds."""
    first = read()
    assert first is not None

    def renewed() -> bool:
        held_until = read()
        return held_until is not None and held_until > first + timedelta(seconds=0.7)

    wait_until(renewed, what="a lease that is renewed")


@pytest.fixture
def asks_over_http(
    conversation: Conversation, openai_server: OpenAIServer, settings: Settings
) -> Iterator[OpenAIServer]:
    providers: dict[str, Any] = settings.LLM_PROVIDERS
    options = {**providers["openai"]["OPTIONS"], "api_key": "k", "base_url": openai_server.url}
    settings.LLM_PROVIDERS = {**providers, "openai": {**providers["openai"], "OPTIONS": options}}
    Companion.objects.update(config={"ingestion": {"provider": "openai"}})
    reset_providers()
    yield openai_server
    reset_providers()


def test_a_turn_is_asked_about_once_and_applied_once(
    conversation: Conversation, asks_over_http: OpenAIServer
) -> None:
    turns = Turn.objects.for_relationship(conversation.relationship.id)

    def respond(body: dict[str, Any]) -> dict[str, Any]:
        try:
            outlast(lambda: turns.values_list("lease_until", flat=True).get())
            assert release_dead_leases(timezone.now()) == {}
            assert claim_turns(relationship_id=conversation.relationship.id, worker="another") is None
        finally:
            connection.close()
        return {"json": answer(add("Lives in Porto"))}

    asks_over_http.respond = respond
    turn = conversation.hear("I live in Porto.")

    assert (turn.state, turn.error_code, turn.attempts) == (TurnState.APPLIED, "", 1)
    assert asks_over_http.asked == 1
    assert ModelCall.objects.count() == 1
    assert conversation.contents == ["Lives in Porto"]


def test_an_answer_to_who_lost_the_lease_is_discarded(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    turns = Turn.objects.for_relationship(conversation.relationship.id)

    def take_over(_: object) -> None:
        turns.update(state=TurnState.PENDING, lease_token=None, lease_until=None, leased_by="")
        assert claim_turns(relationship_id=conversation.relationship.id, worker="another") is not None

    scripted_provider.while_answering = take_over
    scripted_provider.answer_with(answer(add("Lives in Porto")))

    assert conversation.say("I live in Porto.").state == TurnState.PENDING
    assert conversation.drain().applied == 0
    assert conversation.contents == []
    assert turns.get().leased_by == "another"


def test_texts_are_embedded_once(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(relationship, embedder="scripted")
    conversation.remember("Likes tea", "Has a cat")
    rows = SearchText.objects.for_relationship(relationship.id)

    def answer_late(_: Sequence[str]) -> None:
        outlast(lambda: rows.values_list("lease_until", flat=True).first())
        Sweep().texts_owed({}, timezone.now())
        assert rows.held().count() == 2

    scripted_embedder.while_answering = answer_late

    embed_owed(relationship_id=relationship.id)

    assert len(scripted_embedder.asked) == 1
    assert Embedding.objects.count() == 2
    assert not rows.exclude(due_at=None).exists()


def test_a_replay_is_read_once(conversation: Conversation, scripted_provider: ScriptedProvider) -> None:
    turn = conversation.say("I live in Porto.")
    replay = request_replay(
        relationship=conversation.relationship, template="Keep it.", turn_ids=[turn.id], by=PERSON
    )
    rows = Replay.objects.for_relationship(replay.relationship_id)

    def answer_late(_: object) -> None:
        outlast(lambda: rows.values_list("lease_until", flat=True).get())
        assert enqueue_owed_replays(timezone.now()) == 0

    scripted_provider.while_answering = answer_late
    scripted_provider.answer_with(answer(add("Lives in Porto")), answer())
    run_replay(relationship_id=replay.relationship_id, replay_id=replay.id)

    done = rows.get()
    assert (done.state, done.attempts, done.due_at) == (ReplayState.DONE, 0, None)
    assert len(scripted_provider.requests) == 2


def test_a_replay_that_another_worker_took_over_keeps_nothing_of_the_first(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    turn = conversation.say("I live in Porto.")
    replay = request_replay(
        relationship=conversation.relationship, template="Keep it.", turn_ids=[turn.id], by=PERSON
    )
    rows = Replay.objects.for_relationship(replay.relationship_id)

    def take_over(_: object) -> None:
        rows.release(due_at=timezone.now())
        assert rows.claim(worker="another", now=timezone.now()) is not None

    scripted_provider.while_answering = take_over
    scripted_provider.otherwise = answer()

    run_replay(relationship_id=replay.relationship_id, replay_id=replay.id)

    assert (rows.get().state, rows.get().results) == (ReplayState.PENDING, {})
