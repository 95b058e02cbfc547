from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from relationships.models import AuditEvent, Companion, Relationship, SessionState
from relationships.services import sessions
from relationships.services.sessions import (
    end_idle_sessions,
    end_session,
    patch_session,
    replace_session_state,
    touch_session,
)
from tests.fixtures.people import meet_elsewhere
from tests.unit.relationships.services.statements import updates_of_keys
from web.actor import Actor
from web.errors import Conflict, InvalidInput

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
BY = Actor.policy("test")


def test_a_session_counts_the_turns_that_came_in_over_all_its_life(relationship: Relationship) -> None:
    for turns in (1, 0, 1):
        touch_session(relationship=relationship, session="web", at=NOW, idle_minutes=0, turns=turns)
    end_session(relationship=relationship, session="web", by=BY)
    touch_session(relationship=relationship, session="web", at=NOW, idle_minutes=0, turns=1)

    assert SessionState.objects.get().turns == 3


def test_an_end_is_written_down_with_who_ended_it(relationship: Relationship) -> None:
    touch_session(relationship=relationship, session="web", at=NOW, idle_minutes=0)
    touch_session(relationship=relationship, session="idle", at=NOW, idle_minutes=1)

    end_session(relationship=relationship, session="web", by=BY)
    end_session(relationship=relationship, session="web", by=BY)
    end_idle_sessions(NOW + timedelta(minutes=2))

    ends = AuditEvent.objects.filter(action="session.ended").order_by("id")
    assert [event.actor_id for event in ends] == ["test", "session_idle"]


def test_one_whose_end_fails_keeps_no_other_session_from_ending(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners = sorted([relationship, meet_elsewhere()], key=lambda each: each.id)
    for owner in owners:
        touch_session(relationship=owner, session="web", at=NOW, idle_minutes=1)

    def refuse_the_first(ended: Relationship, now: datetime) -> None:
        if ended.id == owners[0].id:
            raise ValueError("of an app of somebody's own")

    monkeypatch.setattr(sessions, "end_listeners", [*sessions.end_listeners, refuse_the_first])

    assert end_idle_sessions(NOW + timedelta(minutes=2)) == 1
    assert SessionState.objects.open().get().relationship_id == owners[0].id


def test_no_statement_ever_writes_a_key(relationship: Relationship) -> None:
    with updates_of_keys() as found:
        patch_session(relationship=relationship, session="web", patch={"a": 1}, idle_minutes=1)
        patch_session(relationship=relationship, session="web", patch={"a": 2}, idle_minutes=1)
        end_session(relationship=relationship, session="web", by=BY)

    assert found == []


@pytest.mark.django_db(transaction=True)
def test_patches_at_the_same_time_all_arrive(relationship: Relationship) -> None:
    def patch(number: int) -> None:
        try:
            patch_session(
                relationship=relationship, session="web", patch={f"k{number}": number}, idle_minutes=0
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(patch, range(6)))

    session = SessionState.objects.get()
    assert session.state == {f"k{number}": number for number in range(6)}
    assert session.version == 6


def test_an_ended_session_has_no_state_to_write(relationship: Relationship) -> None:
    patch_session(relationship=relationship, session="phone", patch={"mood": "good"}, idle_minutes=0)
    end_session(relationship=relationship, session="phone", by=BY)

    with pytest.raises(Conflict):
        replace_session_state(relationship=relationship, session="phone", state={"mood": "new"})


def test_a_state_has_to_fit_the_companions_schema(relationship: Relationship) -> None:
    shape = {"properties": {"mood": {"type": "string"}}}
    Companion.objects.update(config={"sessions": {"json_schema": shape}})
    relationship = Relationship.objects.get()
    patch_session(relationship=relationship, session="phone", patch={"mood": "good"}, idle_minutes=0)

    with pytest.raises(InvalidInput, match="mood: 7 is not of type 'string'"):
        patch_session(relationship=relationship, session="phone", patch={"mood": 7}, idle_minutes=0)
    with pytest.raises(InvalidInput, match="mood: 7 is not of type 'string'"):
        replace_session_state(relationship=relationship, session="phone", state={"mood": 7})

    assert SessionState.objects.get().state == {"mood": "good"}
