import pytest
from django.db import IntegrityError

from relationships.models import Profile, ProfileRevision, SessionState
from relationships.services.sessions import end_session
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_left, check_whole, problems, unguarded
from upkeep.verification import verify
from web.actor import Actor


def test_a_profile_that_is_not_its_last_version_is_left_to_a_person(lived: Conversation) -> None:
    Profile.objects.update(data={"plan": "free"})

    report = verify(repair=True)

    assert report.tallies["profiles", "differs"].left == 1
    assert set(problems(verify())) == {
        "profiles/differs"
    }  # the snapshot shows what stands in the profile now


def test_a_profile_that_is_lost_is_named(lived: Conversation) -> None:
    Profile.objects.all().delete()

    assert "profiles/differs" in problems(verify())


def test_a_profile_without_its_versions_is_named(lived: Conversation) -> None:
    with unguarded():
        ProfileRevision.objects.all().delete()

    check_left(["profiles/differs"])


def test_a_session_that_has_ended_can_hold_nothing(lived: Conversation) -> None:
    end_session(relationship=lived.relationship, session="current", by=Actor.policy("test"))
    check_whole()

    with pytest.raises(IntegrityError):
        SessionState.objects.update(state={"mood": "calm"})
