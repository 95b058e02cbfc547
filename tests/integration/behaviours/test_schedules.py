"""Scheduled behaviours: their next time follows the configuration and the time zone, and pauses."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.utils import timezone

from behaviours.models import BehaviourRun
from relationships.services.relationships import change_relationship, take_up_relationship
from relationships.services.users import change_user
from tests.fixtures.behaviours import behave, outbox_of, runs_of, work
from tests.fixtures.distributed import somebody_waits_for_us
from tests.fixtures.turns import PERSON, Conversation
from tests.waiting import wait_until

NEW_YEAR = {"message": "A good new year!", "when": {"schedule": "0 0 1 1 *"}}


def _change(conversation: Conversation, **changes: Any) -> None:
    found = conversation.relationship
    change_relationship(project_id=found.project_id, relationship_id=found.id, changes=changes, by=PERSON)


def _config(**named: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"behaviours": {"named": named}}


def _hours(runs: list[BehaviourRun], zone: str) -> list[tuple[str, int]]:
    return [(run.behaviour, run.due_at.astimezone(ZoneInfo(zone)).hour) for run in runs if run.due_at]


def _make_due(run: BehaviourRun) -> datetime:
    """Move a run's time a day back, or longer."""
    assert run.due_at is not None
    due = run.due_at - timedelta(days=1)
    BehaviourRun.objects.filter(id=run.id).update(due_at=due, occasion=f"at:{due.isoformat()}")
    return due


def test_a_changed_schedule_counts_from_the_next_turn(conversation: Conversation) -> None:
    behave(conversation.relationship, greet=NEW_YEAR)
    conversation.say("Hi")
    behave(conversation.relationship, greet={**NEW_YEAR, "when": {"schedule": "0 9 * * *"}})

    conversation.say("Hi again")

    assert _hours(runs_of(conversation), "UTC") == [("greet", 9)]


def test_a_time_that_has_come_is_not_moved_by_a_turn(conversation: Conversation) -> None:
    behave(conversation.relationship, greet={"message": "Good morning", "when": {"schedule": "0 9 * * *"}})
    conversation.say("Hi")
    _make_due(runs_of(conversation)[0])

    conversation.say("Hi again")
    work(conversation)

    assert outbox_of(conversation) == ["Good morning"]


def test_a_relationships_own_schedule_begins_when_it_is_set(conversation: Conversation) -> None:
    _change(conversation, config=_config(call={"message": "Call Ana", "when": {"schedule": "0 17 * * *"}}))
    assert _hours(runs_of(conversation), "UTC") == [("call", 17)]

    _change(conversation, config=_config(call={"when": {"schedule": "0 8 * * *"}}))
    assert _hours(runs_of(conversation), "UTC") == [("call", 8)]

    _change(conversation, config=_config(call=None))
    work(conversation)
    _make_due(runs_of(conversation)[0])
    work(conversation)
    assert (runs_of(conversation), outbox_of(conversation)) == ([], [])


def test_a_new_time_zone_moves_the_next_time(conversation: Conversation) -> None:
    behave(conversation.relationship, greet={"message": "Good morning", "when": {"schedule": "0 9 * * *"}})
    conversation.say("Hi")

    _change(conversation, timezone="Asia/Tokyo")
    assert _hours(runs_of(conversation), "Asia/Tokyo") == [("greet", 9)]

    found = conversation.relationship
    take_up_relationship(
        project_id=found.project_id,
        companion=found.companion.slug,
        user=found.user.external_id,
        said={"timezone": "America/New_York"},
        by=PERSON,
    )
    assert _hours(runs_of(conversation), "America/New_York") == [("greet", 9)]


def test_no_schedule_runs_while_the_person_has_paused(conversation: Conversation) -> None:
    behave(conversation.relationship, greet={"message": "Good morning", "when": {"schedule": "0 9 * * *"}})
    conversation.say("Hi")
    user = conversation.relationship.user
    change_user(user_id=user.id, project_id=user.project_id, changes={"ingestion_paused": True}, by=PERSON)
    _make_due(runs_of(conversation)[0])

    work(conversation)

    assert outbox_of(conversation) == []
    [following] = runs_of(conversation)
    assert following.due_at is not None and following.due_at > timezone.now()


@pytest.mark.django_db(transaction=True)
def test_a_schedule_changed_while_a_run_begins_decides_when_it_comes_next(conversation: Conversation) -> None:
    behave(conversation.relationship, greet={"message": "Good evening", "when": {"schedule": "0 17 * * *"}})
    conversation.say("Hi")
    _make_due(runs_of(conversation)[0])

    def worker() -> None:
        try:
            work(conversation)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            _change(conversation, config=_config(greet={"when": {"schedule": "0 9 * * *"}}))
            working = pool.submit(worker)
            wait_until(somebody_waits_for_us, what="the run to begin")
        working.result(timeout=30)

    assert _hours(runs_of(conversation), "UTC") == [("greet", 9)]
