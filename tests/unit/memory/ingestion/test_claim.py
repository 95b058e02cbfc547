from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from memory.errors import LeaseLost
from memory.ingestion.calls import CallLog
from memory.ingestion.claim import Claim, claim_turns
from memory.ingestion.settle import hand_back, hold_claim, release_turns, settle_turns
from memory.ingestion.sweep import release_dead_leases
from relationships.ids import uuid7
from relationships.models import Relationship, Turn, TurnState
from tests.fixtures.turns import Conversation
from worker.leases import retry_delay


def claim(relationship: Relationship) -> Claim | None:
    return claim_turns(relationship_id=relationship.id, worker="test")


def ids(claimed: Claim | None) -> list[Any]:
    return [turn.id for turn in claimed.turns] if claimed else []


@pytest.mark.parametrize(
    ("attempts", "retry_after", "least", "most"),
    [
        (0, None, 1, 2),
        (1, None, 2, 4),
        (5, None, 32, 64),
        (12, None, 300, 600),
        (10**6, None, 300, 600),
        (0, 0, 1, 2),
        (0, 30, 30, 30),
        (12, 30, 300, 600),
        (0, 10**9, 600, 600),
    ],
)
def test_the_next_try_comes_later_each_time_and_never_before_the_provider_allows(
    settings: Settings, attempts: int, retry_after: float | None, least: float, most: float
) -> None:
    settings.RETRY_BASE_SECONDS, settings.RETRY_CAP_SECONDS = 2, 600

    delays = [retry_delay(attempts, retry_after) for _ in range(50)]

    assert least <= min(delays) <= max(delays) <= most


def test_turns_are_read_together_while_they_are_no_longer_than_one_may_be(
    conversation: Conversation, relationship: Relationship, settings: Settings
) -> None:
    """Each megabyte of them took forty of the memory of a worker."""
    settings.MAX_BODY_BYTES = 2000
    turns = [conversation.say("é" * size, "and more") for size in (400, 400, 1500, 100, 100)]

    read = []
    while claimed := claim(relationship):
        read.append(ids(claimed))
        settle_turns(claimed, TurnState.APPLIED, log=CallLog(None))

    assert read == [[turn.id for turn in some] for some in (turns[:2], turns[2:3], turns[3:])]


def test_what_a_worker_whose_clock_is_behind_claims_is_not_taken_back_while_it_reads(
    conversation: Conversation, relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, now, late = conversation.say("a"), timezone.now, timedelta(minutes=5)
    turns = Turn.objects.for_relationship(relationship.id)
    turns.update(due_at=now() - late)

    monkeypatch.setattr(timezone, "now", lambda: now() - late)
    assert ids(claim(relationship)) == [turn.id]
    release_dead_leases(now())

    assert turns.get().state == TurnState.PROCESSING


def test_a_turn_that_waits_for_its_retry_holds_back_those_behind_it(
    conversation: Conversation, relationship: Relationship
) -> None:
    first = conversation.say("a")
    conversation.say("b")
    rows = Turn.objects.for_relationship(relationship.id).filter(id=first.id)
    rows.update(due_at=timezone.now() + timedelta(minutes=1))

    assert claim(relationship) is None


def test_a_turn_that_waits_for_its_trigger_holds_nobody_back(
    conversation: Conversation, relationship: Relationship
) -> None:
    conversation.say("a", ingestion={"trigger": {"mode": "explicit"}})
    second = conversation.say("b")

    assert ids(claim(relationship)) == [second.id]


def test_what_is_given_back_is_due_and_no_longer_ones_own(
    conversation: Conversation, relationship: Relationship
) -> None:
    turn = conversation.say("a")
    claimed = claim(relationship)
    assert claimed is not None

    hand_back(claimed)

    with pytest.raises(LeaseLost):
        hold_claim(claimed)
    with pytest.raises(LeaseLost):
        release_turns(claimed, code="rate_limited", error="?")
    assert (conversation.again(turn).state, conversation.again(turn).error_code) == ("pending", "")
    assert ids(claim(relationship)) == [turn.id]


def test_what_is_being_written_is_not_taken_back_from_a_worker_that_passes_for_dead(
    transactional_db: None, conversation: Conversation, relationship: Relationship
) -> None:
    turn = conversation.say("a")
    claimed = claim(relationship)
    assert claimed is not None
    taken: list[int] = []

    def take_back() -> None:
        rows = Turn.objects.for_relationship(relationship.id)
        taken.append(len(rows.take_back(holders=["test"], now=timezone.now())))
        connection.close()

    sweep = Thread(target=take_back)
    with transaction.atomic():
        hold_claim(claimed)
        sweep.start()
        sweep.join(0.5)  # it waits for the turns
        settle_turns(claimed, TurnState.APPLIED, log=CallLog(None))
    sweep.join(60)

    assert taken == [0]
    assert conversation.again(turn).state == "applied"


def test_what_is_not_held_any_more_is_not_settled_lock_or_not(
    conversation: Conversation, relationship: Relationship
) -> None:
    turn = conversation.say("a")
    claimed = claim(relationship)
    assert claimed is not None
    with pytest.raises(LeaseLost), transaction.atomic():
        hold_claim(claimed)
        Turn.objects.for_relationship(relationship.id).update(lease_token=uuid7())
        settle_turns(claimed, TurnState.APPLIED, log=CallLog(None))

    assert conversation.again(turn).state == "processing"
