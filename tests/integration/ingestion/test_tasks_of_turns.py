"""A worker is told of what is due in the transaction that makes it due, and of nothing else."""

from typing import Any

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from memory.ingestion.intake import accept_turn, ingest_now
from relationships.services.idempotency import Idempotency
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.turns import Conversation

WHEN_ASKED: dict[str, Any] = {"ingestion": {"trigger": {"mode": "explicit"}}}
EVERY_SECOND: dict[str, Any] = {"ingestion": {"trigger": {"mode": "every_n_turns", "n": 2}}}


def enqueued() -> list[Any]:
    return [row.task["args"] for row in OrmQ.objects.order_by("id")]


def test_an_accepted_turn_calls_a_worker_to_its_relationship(conversation: Conversation) -> None:
    conversation.say("One.")

    assert enqueued() == [(str(conversation.relationship.id),)]


def test_messages_that_owe_vectors_call_a_worker_to_embed_them_once(conversation: Conversation) -> None:
    conversation.relationship.config = {
        "retrieval": {"embedder": "offline", "embed_messages": True},
        **WHEN_ASKED,
    }
    conversation.relationship.save()

    conversation.say("I drink green tea.")
    conversation.say("I own a kayak.")

    assert [row.task["func"] for row in OrmQ.objects.order_by("id")] == ["memory.tasks.embed"]


@pytest.mark.parametrize(
    "config",
    [{"ingestion": {"enabled": False}}, WHEN_ASKED, EVERY_SECOND],
    ids=["skipped", "when-asked", "n-th"],
)
def test_what_is_not_due_calls_nobody(conversation: Conversation, config: dict[str, Any]) -> None:
    conversation.say("One.", **config)

    assert enqueued() == []


def test_the_turn_that_makes_others_due_calls_once(conversation: Conversation) -> None:
    conversation.say("One.", **EVERY_SECOND)
    conversation.say("Two.", **EVERY_SECOND)

    assert len(enqueued()) == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_call_again_calls_nobody(conversation: Conversation) -> None:
    new = NewTurn([NewMessage("user", "One.")], occurred_at=timezone.now())
    idempotency = Idempotency("key", b"x" * 32)

    made = [
        accept_turn(relationship=conversation.relationship, new=new, idempotency=idempotency) for _ in "12"
    ]

    assert [accepted.created for accepted in made] == [True, False]
    assert len(enqueued()) == 1


def test_asking_for_waiting_turns_calls_a_worker_if_there_are_any(conversation: Conversation) -> None:
    relationship_id = conversation.relationship.id
    conversation.say("One.", **WHEN_ASKED)

    counts = [ingest_now(relationship_id=relationship_id) for _ in "12"]

    assert counts == [1, 0]
    assert len(enqueued()) == 1
