"""People who stay silent get the schedules that their companion is given meanwhile."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import behaviours.inactive_people
import relationships.services.walking
from behaviours.inactive_people import ScheduleWalk
from behaviours.models import BehaviourRun
from relationships.models import Relationship
from tests.fixtures.behaviours import behave, outbox_of, runs_of, work
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation

DAILY = {"message": "Good morning", "when": {"schedule": "0 9 * * *"}}
YEARLY = {"message": "A good new year!", "when": {"schedule": "0 0 1 1 *"}}


def _walk(walk: ScheduleWalk) -> int:
    """Until it has seen everybody."""
    return sum(walk.step(timezone.now()) for _ in range(10))


def _hours(relationship: Relationship) -> list[int]:
    zone = ZoneInfo(relationship.timezone)
    return [run.due_at.astimezone(zone).hour for run in runs_of(Conversation(relationship)) if run.due_at]


def test_who_is_silent_gets_a_new_schedule_in_their_own_time_zone(conversation: Conversation) -> None:
    conversation.say("Hi")
    Relationship.objects.filter(id=conversation.relationship.id).update(timezone="Asia/Tokyo")
    conversation.relationship.refresh_from_db()
    walk = ScheduleWalk()
    assert _walk(walk) == 0
    behave(conversation.relationship, greet=DAILY)

    assert _walk(walk) == 1

    assert _hours(conversation.relationship) == [9]
    run = runs_of(conversation)[0]
    assert run.due_at is not None
    BehaviourRun.objects.filter(id=run.id).update(due_at=run.due_at - timedelta(days=1))
    work(conversation)
    assert outbox_of(conversation) == ["Good morning"]


def test_a_sooner_schedule_takes_the_place_of_a_later_one(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=YEARLY)
    conversation.say("Hi")
    walk = ScheduleWalk()
    assert _walk(walk) == 0

    behave(conversation.relationship, greet=DAILY)

    assert (_walk(walk), _hours(conversation.relationship)) == (1, [9])


def test_who_never_spoke_or_has_it_off_gets_none(conversation: Conversation) -> None:
    conversation.say("Hi")
    meet(conversation.relationship.companion, "never spoke")
    off = meet(conversation.relationship.companion, "off")
    Conversation(off).say("Hi")
    Relationship.objects.filter(id=off.id).update(
        config={"behaviours": {"named": {"greet": {"enabled": False}}}}
    )
    behave(conversation.relationship, greet=DAILY)

    assert _walk(ScheduleWalk()) == 1
    assert list(BehaviourRun.objects.values_list("relationship_id", flat=True)) == [
        conversation.relationship.id
    ]


def test_many_are_seen_a_few_at_a_time_and_then_nobody_again(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(behaviours.inactive_people, "AT_ONCE", 2)
    monkeypatch.setattr(relationships.services.walking, "PAGE", 3)
    people = [meet(conversation.relationship.companion, f"person {number}") for number in range(7)]
    for person in people:
        Conversation(person).say("Hi")
    behave(conversation.relationship, greet=DAILY)
    walk = ScheduleWalk()

    steps = [walk.step(timezone.now()) for _ in range(12)]

    assert (sum(steps), max(steps)) == (7, 2)
    with CaptureQueriesContext(connection) as asked:
        walk.step(timezone.now())
    assert len(asked) == 1


def test_many_schedules_are_owed_with_as_many_statements_as_one(conversation: Conversation) -> None:
    def statements(count: int) -> int:
        BehaviourRun.objects.all().delete()
        behave(conversation.relationship, **{f"greet{number}": DAILY for number in range(count)})
        walk = ScheduleWalk()
        with CaptureQueriesContext(connection) as asked:
            walk.step(timezone.now())
        assert _hours(conversation.relationship) == [9] * count
        return len(asked)

    conversation.say("Hi")
    few = statements(1)

    assert statements(20) == few


def test_a_walk_that_failed_is_taken_again(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.say("Hi")
    behave(conversation.relationship, greet=DAILY)
    walk = ScheduleWalk()
    with monkeypatch.context() as patched:
        patched.setattr(behaviours.inactive_people, "lock_relationship", _fail)
        walk.step(timezone.now())
        assert runs_of(conversation) == []

    assert _walk(walk) == 1


def _fail(relationship_id: object) -> bool:
    raise RuntimeError("an error of the test")
