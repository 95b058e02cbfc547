from uuid import uuid4

import pytest

from relationships.models import Turn
from tests.fixtures.queue import held_by
from tests.fixtures.turns import Conversation
from upkeep.verification import verify
from worker.heartbeat import beat


@pytest.fixture
def held(conversation: Conversation) -> Turn:
    """A turn that a worker had in hand when it ended, whose lease is over since a moment."""
    turn = conversation.say("I moved to Oslo")
    Turn.objects.filter(id=turn.id).update(**held_by("elsewhere/1/1", seconds=-1))
    return turn


def test_a_turn_of_a_worker_that_is_gone_is_named_and_is_no_damage(held: Turn) -> None:
    report = verify()

    waiting, gone = report.remarks
    assert report.holds
    assert "1 turn waits for one" in waiting
    assert gone.startswith("1 turn was in the hands") and "takes it back" in gone
    assert gone.splitlines()[1:] == [f"    {held.relationship_id}  {held.id}"]


def test_a_turn_whose_lease_still_runs_is_not_named(conversation: Conversation) -> None:
    turn = conversation.say("I moved to Oslo")
    Turn.objects.filter(id=turn.id).update(**held_by("elsewhere/1/1"))

    assert len(verify().remarks) == 1


def test_while_a_worker_lives_there_is_nothing_to_remark(held: Turn) -> None:
    beat(name="somewhere/1", pool_restarts=0, counters={})

    assert verify().remarks == []


def test_only_turns_of_what_was_looked_at_are_named(held: Turn, conversation: Conversation) -> None:
    own = conversation.relationship

    assert len(verify(relationship_id=own.id).remarks) == len(verify(project_id=own.project_id).remarks) == 2
    assert len(verify(relationship_id=uuid4()).remarks) == len(verify(project_id=uuid4()).remarks) == 1


def test_many_are_counted_and_the_first_named(held: Turn, conversation: Conversation) -> None:
    for number in range(3):
        later = conversation.say(f"I have {number} cats")
        Turn.objects.filter(id=later.id).update(**held_by("elsewhere/1/1", seconds=-1))

    first, everything = verify(examples=1).remarks[1], verify(examples=None).remarks[1]

    assert first.splitlines()[-1] == "    and 3 more; --all names them"
    assert len(first.splitlines()) == 3
    assert len(everything.splitlines()) == 1 + Turn.objects.filter(state="processing").count() == 5
