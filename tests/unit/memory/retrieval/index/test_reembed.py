from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from memory.entries.editing import delete_entry
from memory.models import Embedding
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.index.reembed import (
    Move,
    Moved,
    begin_move,
    change_over,
    drop_old,
    embed_beside,
)
from providers.embeddings.registry import get_embedder, reset_embedders
from providers.errors import ContentBlocked, ProviderUnavailable, Unauthorized
from relationships.models import AuditEvent, Companion, Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.index import configure, embedded, fall_due
from tests.fixtures.people import meet
from tests.fixtures.turns import PERSON, Conversation
from web.actor import Actor

BY = Actor.policy("test")
OLD, NEW = "scripted-embedder-1", "new-model"


@pytest.fixture(autouse=True)
def newer(settings: Settings, scripted_embedder: ScriptedEmbedder) -> Iterator[None]:
    backend = "tests.fakes.ScriptedEmbedder"
    settings.EMBEDDING_PROVIDERS = {
        **settings.EMBEDDING_PROVIDERS,
        "newer": {"BACKEND": backend, "OPTIONS": {"model": NEW, "dimensions": 32}},
    }
    settings.RETRY_BASE_SECONDS = 0.01
    reset_embedders()
    yield
    reset_embedders()


@pytest.fixture
def other(companion: Companion) -> Relationship:
    return meet(companion)


@pytest.fixture(autouse=True)
def embedded_before(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="scripted")
    conversation.remember("one", "two", "three")
    embed_owed(relationship_id=relationship.id)


def move_of(companion: Companion, **more: Any) -> Move:
    companion.refresh_from_db()
    return begin_move(companion, alias="newer", **{"batch": 2, **more})


def embed(move: Move, told: list[int] | None = None) -> Moved:
    done = Moved()
    embed_beside(move, done, told=(told if told is not None else []).append)
    return done


def newer_embedder() -> Any:
    return get_embedder("newer")


def test_new_vectors_stand_beside_the_old_ones(relationship: Relationship, companion: Companion) -> None:
    told: list[int] = []
    move = move_of(companion)
    assert move.owed() == 3

    done = embed(move, told)

    assert (done.written, told, move.owed()) == (3, [2, 1], 0)
    assert embedded(relationship, OLD) == embedded(relationship, NEW)
    assert len(embedded(relationship, NEW)) == 3


def test_who_is_killed_goes_on_where_they_were(relationship: Relationship, companion: Companion) -> None:
    move = move_of(companion)

    def killed(texts: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_beside(move, Moved(), told=killed)
    assert len(embedded(relationship, NEW)) == 2

    assert embed(move_of(companion)).written == 1
    assert len(embedded(relationship, NEW)) == 3


def test_changing_over_is_told_in_the_audit(companion: Companion) -> None:
    move = move_of(companion)

    assert change_over(move, by=BY) is True
    assert change_over(move, by=BY) is False

    companion.refresh_from_db()
    assert companion.config["retrieval"]["embedder"] == "newer"
    events = AuditEvent.objects.filter(action="companion.changed", target_id=companion.id)
    assert [(event.actor_kind, event.actor_id) for event in events] == [(BY.kind, BY.id)]


def test_what_is_written_meanwhile_is_caught_up_the_old_vectors_go_and_a_worker_goes_on_in_the_new_space(
    relationship: Relationship, companion: Companion, conversation: Conversation
) -> None:
    move = move_of(companion)
    embed(move)
    late = conversation.remember("late")[0]
    embed_owed(relationship_id=relationship.id)
    assert late.id in embedded(relationship, OLD)

    change_over(move, by=BY)
    assert embed(move).written == 1
    assert late.id in embedded(relationship, NEW)

    assert drop_old(move) == 4
    assert embedded(relationship, OLD) == set()
    assert len(embedded(relationship, NEW)) == 4

    later = conversation.remember("later")[0]
    fall_due(relationship)
    embed_owed(relationship_id=relationship.id)
    assert later.id in embedded(relationship, NEW)
    assert embedded(relationship, OLD) == set()


def test_a_relationship_with_an_embedder_of_its_own_keeps_it(
    relationship: Relationship, other: Relationship, companion: Companion
) -> None:
    Relationship.objects.filter(id=relationship.id).update(config={"retrieval": {"embedder": "scripted"}})
    talk = Conversation(other)
    talk.remember("mine")
    move = move_of(companion)

    embed(move)
    drop_old(move)

    assert [each for each, _ in move.relationships()] == [other.id]
    assert len(embedded(relationship, OLD)) == 3
    assert len(embedded(other, NEW)) == 1


def test_a_relationship_whose_configuration_is_wrong_stops_nobody(
    relationship: Relationship, other: Relationship, companion: Companion
) -> None:
    Relationship.objects.filter(id=other.id).update(config={"retrieval": {"ranker": "lost"}})

    assert embed(move_of(companion)).written == 3


def test_what_was_deleted_is_sent_to_nobody(
    relationship: Relationship, companion: Companion, conversation: Conversation
) -> None:
    entry = conversation.entries[0]
    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)

    assert embed(move_of(companion)).written == 2
    assert entry.id not in embedded(relationship, NEW)


def test_one_text_that_is_refused_goes_without(relationship: Relationship, companion: Companion) -> None:
    def refuse(texts: Sequence[str]) -> None:
        if "two" in texts:
            raise ContentBlocked

    move = move_of(companion, batch=3)
    newer_embedder().while_answering = refuse

    done = embed(move)

    assert (done.written, done.refused, done.codes) == (2, 1, {"content_blocked"})


def test_a_passing_failure_is_tried_again(companion: Companion) -> None:
    move = move_of(companion)
    newer_embedder().answer_with(ProviderUnavailable(), ProviderUnavailable())

    assert embed(move).written == 3


def test_a_failure_that_does_not_pass_stops_the_move(
    relationship: Relationship, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.retrieval.index.reembed.TRIES", 2)
    move = move_of(companion)
    newer_embedder().answer_with(None, ProviderUnavailable(), ProviderUnavailable())

    with pytest.raises(ProviderUnavailable):
        embed(move)
    assert len(embedded(relationship, NEW)) == 2


def test_a_wrong_key_is_noticed_before_anything_begins(companion: Companion) -> None:
    newer_embedder().answer_with(Unauthorized())

    with pytest.raises(Unauthorized):
        move_of(companion)
    assert not Embedding.objects.filter(model=NEW).exists()
