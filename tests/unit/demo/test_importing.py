from datetime import UTC, datetime, timedelta

import pytest

from demo.importing import Progress, hand_over, see_through, worker_lives
from relationships.models import Companion, Message, Relationship, Turn
from relationships.services.turns import NewMessage, NewTurn
from web.errors import InvalidInput
from worker.heartbeat import beat

BEGINS = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def told(text: str, minutes: int = 0, session: str = "one") -> NewTurn:
    at = BEGINS + timedelta(minutes=minutes)
    return NewTurn([NewMessage("user", text, "Ann", at)], occurred_at=at, session=session)


def look(progress: Progress) -> None:
    """Does not care how far it has come."""


def test_each_turn_keeps_its_own_date_session_and_speaker(relationship: Relationship) -> None:
    turns = [told("Rain"), told("Snow", 5), told("Hail again", 90, "two")]

    handed = hand_over(relationship=relationship, turns=turns)

    rows = Turn.objects.for_relationship(relationship.id).order_by("seq")
    assert [row.id for row in rows] == list(handed.turn_ids)
    assert [(row.occurred_at, row.session) for row in rows] == [
        (turn.occurred_at, turn.session) for turn in turns
    ]
    assert set(Message.objects.for_relationship(relationship.id).values_list("speaker", flat=True)) == {"Ann"}
    assert handed.new == 3


def test_a_file_that_has_grown_adds_only_what_is_new(relationship: Relationship) -> None:
    hand_over(relationship=relationship, turns=[told("Rain")])
    handed = hand_over(relationship=relationship, turns=[told("Rain"), told("Snow", 5)])
    assert (len(handed.turn_ids), handed.new) == (2, 1)


def test_a_session_lands_whole_or_not_at_all(relationship: Relationship) -> None:
    unkeepable = NewTurn(
        [NewMessage("user", "a\x00b")], occurred_at=BEGINS + timedelta(minutes=9), session="two"
    )
    with pytest.raises(InvalidInput, match="NUL"):
        hand_over(
            relationship=relationship,
            turns=[told("Rain"), told("Before it", 8, "two"), unkeepable],
        )
    assert list(Turn.objects.for_relationship(relationship.id).values_list("session", flat=True)) == ["one"]


def test_a_worker_is_alive_while_it_says_so(db: None) -> None:
    assert not worker_lives()
    beat(name="machine/1:2:3", pool_restarts=0, counters={})
    assert worker_lives()


def test_turns_that_wait_for_their_trigger_are_not_waited_for(
    relationship: Relationship, companion: Companion
) -> None:
    companion.config = {"ingestion": {"provider": "scripted", "trigger": {"mode": "explicit"}}}
    companion.save(update_fields=["config"])
    handed = hand_over(relationship=relationship, turns=[told("Rain")])

    outcome = see_through(relationship_id=relationship.id, turn_ids=handed.turn_ids, look=look)

    assert (outcome.waiting, outcome.open, outcome.applied) == (1, 0, 0)
