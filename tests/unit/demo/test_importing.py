from datetime import UTC, datetime, timedelta

import pytest

from demo.importing import Progress, hand_over, see_through, worker_lives
from memory.models import ScratchpadEntry
from relationships.models import Companion, Message, Relationship, Turn, TurnState
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import add, answer
from web.errors import InvalidInput
from worker.heartbeat import beat

BEGINS = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def told(text: str, minutes: int = 0, session: str = "one") -> NewTurn:
    at = BEGINS + timedelta(minutes=minutes)
    return NewTurn([NewMessage("user", text, "Ann", at)], occurred_at=at, session=session)


def look(progress: Progress) -> None:
    """Does not care how far it has come."""


def test_each_turn_keeps_its_own_date_session_and_speaker(relationship: Relationship) -> None:
    turns = [told("Hi"), told("Bye", 5), told("Hello again", 90, "two")]

    handed = hand_over(relationship=relationship, turns=turns)

    rows = Turn.objects.for_relationship(relationship.id).order_by("seq")
    assert [row.id for row in rows] == list(handed.turn_ids)
    assert [(row.occurred_at, row.session) for row in rows] == [
        (turn.occurred_at, turn.session) for turn in turns
    ]
    assert set(Message.objects.for_relationship(relationship.id).values_list("speaker", flat=True)) == {"Ann"}
    assert handed.new == 3


def test_the_same_file_again_adds_nothing(relationship: Relationship) -> None:
    first = hand_over(relationship=relationship, turns=[told("Hi"), told("Bye", 5)])
    again = hand_over(relationship=relationship, turns=[told("Hi"), told("Bye", 5)])

    assert again.turn_ids == first.turn_ids
    assert again.new == 0
    assert Turn.objects.for_relationship(relationship.id).count() == 2


def test_a_file_that_has_grown_adds_only_what_is_new(relationship: Relationship) -> None:
    hand_over(relationship=relationship, turns=[told("Hi")])
    handed = hand_over(relationship=relationship, turns=[told("Hi"), told("Bye", 5)])
    assert (len(handed.turn_ids), handed.new) == (2, 1)


def test_a_session_lands_whole_or_not_at_all(relationship: Relationship) -> None:
    unkeepable = NewTurn(
        [NewMessage("user", "a\x00b")], occurred_at=BEGINS + timedelta(minutes=9), session="two"
    )
    with pytest.raises(InvalidInput, match="NUL"):
        hand_over(
            relationship=relationship,
            turns=[told("Hi"), told("Before it", 8, "two"), unkeepable],
        )
    assert list(Turn.objects.for_relationship(relationship.id).values_list("session", flat=True)) == ["one"]


def test_without_a_worker_the_turns_are_read_here(
    relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a dog")))
    seen: list[Progress] = []
    handed = hand_over(relationship=relationship, turns=[told("I have a dog")])

    outcome = see_through(relationship_id=relationship.id, turn_ids=handed.turn_ids, look=seen.append)

    assert not worker_lives()
    assert (outcome.applied, outcome.open) == (1, 0)
    assert seen[0].open == 1
    assert seen[-1] == outcome
    entry = ScratchpadEntry.objects.for_relationship(relationship.id).get()
    assert (entry.content, entry.effective_at) == ("Has a dog", BEGINS)


def test_a_worker_is_alive_while_it_says_so(db: None) -> None:
    assert not worker_lives()
    beat(name="machine/1:2:3", pool_restarts=0, counters={})
    assert worker_lives()


def test_what_failed_and_what_was_left_out_is_counted(
    relationship: Relationship, companion: Companion
) -> None:
    handed = hand_over(relationship=relationship, turns=[told("Hi"), told("Bye", 5)])
    rows = Turn.objects.for_relationship(relationship.id)
    for turn_id, state in zip(handed.turn_ids, (TurnState.FAILED, TurnState.SKIPPED), strict=True):
        rows.filter(id=turn_id).update(state=state)

    outcome = see_through(relationship_id=relationship.id, turn_ids=handed.turn_ids, look=look)

    assert (outcome.applied, outcome.failed, outcome.skipped, outcome.open) == (0, 1, 1, 0)


def test_turns_that_wait_for_their_trigger_are_not_waited_for(
    relationship: Relationship, companion: Companion
) -> None:
    companion.config = {"ingestion": {"provider": "scripted", "trigger": {"mode": "explicit"}}}
    companion.save(update_fields=["config"])
    handed = hand_over(relationship=relationship, turns=[told("Hi")])

    outcome = see_through(relationship_id=relationship.id, turn_ids=handed.turn_ids, look=look)

    assert (outcome.waiting, outcome.open, outcome.applied) == (1, 0, 0)
