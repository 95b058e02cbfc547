from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from pytest_django import Settings

from relationships.models import Relationship, SessionState, Snapshot
from relationships.services.sessions import end_idle_sessions, touch_session
from tests.fixtures.api import Api


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/sessions"


def test_a_session_is_opened_by_its_first_state(api: Api, path: str) -> None:
    opened = api.patch(f"{path}/web-1", {"state": {"mood": "cheerful", "step": 1}})

    assert opened.status == 200
    assert (opened.body["session"], opened.body["version"], opened.body["ended_at"]) == ("web-1", 1, None)
    assert api.get(f"{path}/web-1").body == opened.body
    assert Snapshot.objects.get().sessions == {"web-1": {"mood": "cheerful", "step": 1}}


def test_state_is_merged_with_its_version_in_hand(api: Api, path: str) -> None:
    api.patch(f"{path}/web-1", {"state": {"mood": "cheerful", "step": 1}})

    merged = api.patch(f"{path}/web-1", {"state": {"mood": None, "step": 2}}, if_match='"1"')

    assert merged.body["state"] == {"step": 2}
    assert merged.headers["ETag"] == '"2"'
    assert api.patch(f"{path}/web-1", {"state": {}}, if_match='"1"').status == 412


def test_ending_clears_the_state_and_can_be_repeated(api: Api, path: str) -> None:
    api.patch(f"{path}/web-1", {"state": {"mood": "cheerful"}})

    ended = api.post(f"{path}/web-1/end")
    again = api.post(f"{path}/web-1/end")

    assert ended.status == 200
    assert ended.body["state"] == {}
    assert ended.body["ended_at"] is not None
    assert again.body == ended.body
    assert Snapshot.objects.get().sessions == {}


def test_a_turn_opens_an_ended_session_again(api: Api, path: str, relationship: Relationship) -> None:
    api.patch(f"{path}/web-1", {"state": {"mood": "cheerful"}})
    api.post(f"{path}/web-1/end")

    touch_session(relationship=relationship, session="web-1", at=datetime.now(UTC), idle_minutes=0)

    reopened = api.get(f"{path}/web-1").body
    assert (reopened["ended_at"], reopened["state"]) == (None, {})


def test_an_idle_session_is_ended_and_the_others_stay(
    api: Api, path: str, relationship: Relationship
) -> None:
    api.patch(f"/relationships/{relationship.id}", {"config": {"sessions": {"idle_minutes": 10}}})
    api.patch(f"{path}/web-1", {"state": {"mood": "cheerful"}})
    now = datetime.now(UTC)
    touch_session(relationship=relationship, session="web-2", at=now + timedelta(minutes=5), idle_minutes=10)
    touch_session(relationship=relationship, session="web-3", at=now - timedelta(days=9), idle_minutes=0)

    ended = end_idle_sessions(now + timedelta(minutes=12))

    assert ended == 1
    assert set(SessionState.objects.open().values_list("session", flat=True)) == {"web-2", "web-3"}
    assert api.get(f"{path}/web-1").body["state"] == {}
    assert Snapshot.objects.get().sessions == {}


def test_a_late_turn_never_makes_a_session_look_older(relationship: Relationship) -> None:
    now = datetime.now(UTC)
    touch_session(relationship=relationship, session="web-1", at=now, idle_minutes=0)

    touch_session(relationship=relationship, session="web-1", at=now - timedelta(hours=1), idle_minutes=0)

    assert SessionState.objects.get().last_active_at == now


@pytest.mark.parametrize("name", ["Gespräch 7", "a.b:c", "..x", "...", "猫", "50%"])
def test_a_session_has_any_name_the_developer_likes(api: Api, path: str, name: str) -> None:
    assert api.patch(f"{path}/{quote(name)}", {"state": {"a": 1}}).body["session"] == name


@pytest.mark.parametrize("name", ["a%0Ab", "a%2Fb", "x" * 201, "a%7Fb", ".", "..", "%2E/end"])
def test_what_names_no_session_is_no_address(api: Api, path: str, name: str) -> None:
    assert api.patch(f"{path}/{name}", {"state": {}}).status == 404


def test_a_session_nobody_opened_is_not_there(api: Api, path: str) -> None:
    assert api.get(f"{path}/web-9").status == 404
    assert api.post(f"{path}/web-9/end").status == 404


def test_state_over_the_limit_is_refused(api: Api, path: str, settings: Settings) -> None:
    settings.MAX_PROFILE_BYTES = 100

    assert api.patch(f"{path}/web-1", {"state": {"note": "x" * 100}}).status == 413
    assert not SessionState.objects.exists()
