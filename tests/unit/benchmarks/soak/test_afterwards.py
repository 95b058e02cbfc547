from datetime import timedelta

from django.utils import timezone

from benchmarks.soak.afterwards import reckon
from benchmarks.soak.people import People, Person
from memory.queue.heartbeat import beat, stop_beating
from relationships.models import Turn
from tests.fixtures.turns import Conversation

LONG_AGO = timezone.now() - timedelta(hours=1)


def people_of(conversation: Conversation, *turns: Turn) -> People:
    people = People()
    relationship = conversation.relationship
    people.welcome(
        Person(str(relationship.user_id), str(relationship.id), turns=[str(turn.id) for turn in turns])
    )
    return people


def test_a_turn_that_nobody_reads_is_found_while_the_worker_still_runs(conversation: Conversation) -> None:
    turn = conversation.say("I moved to Oslo")
    Turn.objects.filter(id=turn.id).update(due_at=LONG_AGO)
    beat(name="somewhere/1", pool_restarts=0, counters={})

    reckoning = reckon(people_of(conversation, turn), stop_worker=lambda: stop_beating(name="somewhere/1"))

    assert (reckoning.accepted, reckoning.not_applied) == (1, 1)
    assert (reckoning.verified.found, reckoning.at_rest.found) == (1, 0)
    assert reckoning.tasks >= 1
