import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from relationships.models import Companion, Relationship
from relationships.services.profiles import read_profile, replace_profile
from relationships.services.sessions import get_session, patch_session
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import PERSON, Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/profile/"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("{", "This text: is not JSON"),
        ("[1]", "in braces"),
        ('{"a": NaN}', "NaN"),
        ('{"a": "\\u0000"}', "NUL"),
        ('{"a": 1, "a": 2}', "twice"),
        ("", "required"),
    ],
)
def test_what_is_no_profile_is_said_and_nothing_is_lost(
    editor: Client, page: str, relationship: Relationship, sent: str, said: str
) -> None:
    replace_profile(relationship=relationship, data={"plan": "gold"}, by=PERSON)

    answer = editor.post(page, {"document": sent, "version": "1"})

    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert read_profile(relationship.id)[0] == {"plan": "gold"}


def test_a_change_of_a_profile_that_somebody_changed_meanwhile_shows_both(
    editor: Client, page: str, relationship: Relationship
) -> None:
    replace_profile(relationship=relationship, data={"plan": "theirs"}, by=PERSON)

    answer = editor.post(page, {"document": '{"plan": "mine"}', "version": "0"})

    shown = answer.content.decode()
    assert answer.status_code == 409
    assert "theirs" in shown
    assert "mine" in shown
    assert read_profile(relationship.id)[0] == {"plan": "theirs"}


def test_a_session_is_ended_and_its_state_cleared(
    editor: Client, page: str, relationship: Relationship
) -> None:
    patch_session(relationship=relationship, session="phone", patch={"mood": "good"}, idle_minutes=0)
    assert "mood" in editor.get(page).content.decode()

    editor.post(page.replace("profile/", "sessions/end/"), {"session": "phone"})

    assert get_session(relationship=relationship, session="phone").state == {}


def test_a_session_is_dated_by_what_was_said_in_it(
    viewer: Client, page: str, conversation: Conversation
) -> None:
    conversation.say("Hello.", at=datetime(2026, 3, 2, 15, tzinfo=UTC), session="spring")

    assert ">2 Mar 2026</time>" in viewer.get(page).content.decode()


def test_a_sessions_state_is_edited_and_a_change_meanwhile_shows_both(
    editor: Client, page: str, relationship: Relationship
) -> None:
    address = page.replace("profile/", "sessions/")
    patch_session(relationship=relationship, session="phone", patch={"mood": "good"}, idle_minutes=0)
    assert "mood" in editor.get(f"{address}?session=phone").content.decode()

    editor.post(address, {"session": "phone", "document": '{"mood": "fine"}', "version": "1"})
    assert get_session(relationship=relationship, session="phone").state == {"mood": "fine"}

    answer = editor.post(address, {"session": "phone", "document": '{"mood": "mine"}', "version": "1"})
    assert answer.status_code == 409
    assert "fine" in answer.content.decode()
    assert get_session(relationship=relationship, session="phone").state == {"mood": "fine"}


def test_a_profile_that_does_not_fit_the_schema_is_refused_beside_it(
    editor: Client, relationship: Relationship
) -> None:
    shape = {"properties": {"plan": {"enum": ["gold", "silver"]}}}
    Companion.objects.update(config={"profile": {"json_schema": shape}})
    page = f"/admin-ui/relationships/{relationship.id}/profile/"

    answer = editor.post(page, {"document": '{"plan": "brass"}', "version": "0"})

    shown = answer.content.decode()
    assert answer.status_code == 422
    assert "is not one of" in shown
    assert "JSON schema" in shown
    assert read_profile(relationship.id)[1] == 0


def test_a_person_is_renamed_moved_and_paused_unless_somebody_changed_them_meanwhile(
    editor: Client, viewer: Client, page: str, relationship: Relationship
) -> None:
    sent = {"display_name": "Maja", "timezone": "Asia/Tokyo", "ingestion_paused": "on", "version": "1"}
    sent |= {"relationship_version": "1"}
    assert viewer.post(page, sent).status_code == 403

    saved = editor.post(page, sent | {"next": page}, follow=True)
    late = editor.post(page, sent | {"timezone": "UTC", "display_name": "Late", "next": page}, follow=True)

    relationship.refresh_from_db()
    person = relationship.user
    assert "Person saved." in squeezed(saved) and "memory paused</a>" in squeezed(saved)
    assert "This is how it stands now." in squeezed(late)
    assert (person.display_name, person.ingestion_paused, relationship.timezone) == (
        "Maja",
        True,
        "Asia/Tokyo",
    )


def test_a_time_zone_that_an_app_changed_meanwhile_is_not_put_back_with_a_persons_name(
    editor: Client, page: str, relationship: Relationship
) -> None:
    shown = editor.get(page).content.decode()
    sent = dict(
        re.findall(r'name="((?:relationship_)?version)" value="(\d+)"', shown.split("Person</h2>")[1])
    )
    Relationship.objects.filter(id=relationship.id).update(timezone="Asia/Tokyo", version=2)

    late = editor.post(page, {**sent, "display_name": "Maja", "timezone": "UTC", "next": page}, follow=True)

    relationship.refresh_from_db()
    assert "This is how it stands now." in squeezed(late)
    assert (relationship.user.display_name, relationship.timezone) == ("Maya", "Asia/Tokyo")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"timezone": "Mars/Olympus"}, "&#x27;Mars/Olympus&#x27; is not an IANA time zone"),
        ({"display_name": "Ma\nya"}, "This holds a control character."),
        ({"display_name": "x" * 201}, "at most 200 characters"),
    ],
)
def test_what_no_person_can_have_is_said_beside_its_field(
    editor: Client, page: str, relationship: Relationship, sent: dict[str, str], said: str
) -> None:
    fields = {"display_name": "Maja", "timezone": "Asia/Tokyo", "version": "1"}

    answer = editor.post(page, fields | sent)

    assert answer.status_code == 422
    assert said in answer.content.decode()
    relationship.refresh_from_db()
    assert (relationship.user.display_name, relationship.timezone) == ("Maya", "UTC")


def test_the_configuration_of_one_relationship_is_seen_and_replaced_and_what_is_wrong_in_it_is_named(
    editor: Client, viewer: Client, page: str, relationship: Relationship
) -> None:
    here = page.replace("profile/", "configuration/")
    Relationship.objects.filter(id=relationship.id).update(
        config={"ingestion": {"max_batch": 2, "enabled": True}}
    )
    seen = viewer.get(here).content.decode()

    wrong = editor.post(here, {"document": '{"ingestion": {"max_batch": "two"}}', "version": "1"})
    saved = editor.post(here, {"document": '{"ingestion": {"max_batch": 3}}', "version": "1", "next": page})
    late = editor.post(here, {"document": "{}", "version": "1"})

    relationship.refresh_from_db()
    assert "&quot;max_batch&quot;: 2" in seen and "differs from" in squeezed(viewer.get(page))
    assert (wrong.status_code, saved.status_code, late.status_code) == (422, 302, 409)
    assert "ingestion.max_batch" in wrong.content.decode()
    assert relationship.config == {"ingestion": {"max_batch": 3}}
