"""DELETE over REST: who may, what is answered, and what a second one gets."""

from typing import Any

import pytest
from django.db import connection

from memory.ingestion.replays import request_replay
from memory.models import Replay
from relationships.models import AuditEvent, Companion, EndUser, Message, Project, Relationship
from relationships.services.turns import NewMessage
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.people import meet
from tests.fixtures.turns import PERSON, Conversation


def path_of(level: str, relationship: Relationship) -> str:
    return {
        "relationship": f"/relationships/{relationship.id}",
        "user": f"/users/{relationship.user_id}",
        "companion": f"/companions/{relationship.companion_id}",
    }[level]


LEVELS = ["relationship", "user", "companion"]


@pytest.mark.parametrize("level", LEVELS)
def test_erasing_answers_with_the_rows_that_are_gone(
    level: str, api: Api, conversation: Conversation, relationship: Relationship
) -> None:
    conversation.say("I like tea.")
    path = path_of(level, relationship)

    answer = api.delete(path)

    assert answer.status == 200
    assert answer.body["erased"]["message"] == answer.body["erased"]["relationship"] == 1
    assert not Relationship.objects.exists()
    assert api.get(path).status == 404
    assert api.delete(path).status == 404


def test_the_messages_that_still_hold_its_words_are_looked_for_after_the_lock_was_given_back(
    api: Api, conversation: Conversation, relationship: Relationship
) -> None:
    """However many there are, no turn waits meanwhile."""
    conversation.say("Klosterneuburg is nice.")
    [entry] = conversation.remember("Lives in Klosterneuburg")
    looked: list[int] = []

    def note(execute: Any, sql: Any, *rest: Any) -> Any:
        if "LIKE ANY" in str(sql):
            looked.append(len(connection.savepoint_ids))
        return execute(sql, *rest)

    outside = len(connection.savepoint_ids)
    with connection.execute_wrapper(note):
        answer = api.delete(f"/relationships/{relationship.id}/entries/{entry.id}?permanent=true")

    assert answer.status == 200 and answer.body["messages_still_holding_total"] == 1
    assert looked == [outside]


def test_a_project_goes_when_its_name_is_said(api: Api, relationship: Relationship) -> None:
    answer = api.send("DELETE", "/project", {"confirm": "Test project"})

    assert answer.status == 200
    assert answer.body["erased"]["project"] == 1
    assert not (Project.objects.exists() or Companion.objects.exists() or EndUser.objects.exists())
    assert api.get("/project").status == 401


@pytest.mark.parametrize(
    ("body", "status", "fields"),
    [
        ({"confirm": "test project"}, 422, ["confirm"]),
        ({}, 422, ["confirm"]),
        ({"confirm": "Test project", "really": True}, 422, ["really"]),
        (b"", 400, []),
    ],
    ids=["another-name", "no-name", "more", "no-body"],
)
def test_a_project_stays_when_it_is_not(
    body: object, status: int, fields: list[str], api: Api, project: Project
) -> None:
    answer = api.send("DELETE", "/project", body)

    assert (answer.status, answer.fields) == (status, fields)
    assert Project.objects.filter(id=project.id).exists()


@pytest.fixture
def said(conversation: Conversation) -> list[str]:
    """The IDs of two messages."""
    turn = conversation.say("I live in Vienna.", "And work there.")
    rows = Message.objects.for_relationship(turn.relationship_id).order_by("seq")
    return [str(message_id) for message_id in rows.values_list("id", flat=True)]


def redact(api: Api, relationship: Relationship, *message_ids: str) -> ApiAnswer:
    return api.post(f"/relationships/{relationship.id}/messages/redact", {"messages": list(message_ids)})


def test_messages_are_redacted_and_that_is_told_by_their_ids(
    api: Api, relationship: Relationship, said: list[str]
) -> None:
    answer = redact(api, relationship, said[0])

    assert (answer.status, answer.body["erased"]) == (200, {"message": 1, "search_text": 1})
    later, first = api.get(f"/relationships/{relationship.id}/messages").body["items"]
    assert (first["content"], first["erased_at"] is None) == ("", False)
    assert (later["content"], later["erased_at"]) == ("And work there.", None)
    event = AuditEvent.objects.get(action="messages.redacted")
    assert (event.target_kind, event.target_id, event.actor_kind) == (
        "relationship",
        relationship.id,
        "developer",
    )
    assert event.detail == {"erased": answer.body["erased"], "messages": [said[0]]}


def test_a_message_that_was_redacted_stays_so_and_counts_no_more(
    api: Api, relationship: Relationship, said: list[str]
) -> None:
    redact(api, relationship, said[0])
    before = Message.objects.get(id=said[0]).erased_at

    assert redact(api, relationship, said[0]).body == {"erased": {}}
    assert Message.objects.get(id=said[0]).erased_at == before


@pytest.mark.parametrize("by", ["turns", "range"])
def test_messages_are_redacted_by_their_turn_and_by_a_range(
    by: str, api: Api, conversation: Conversation, relationship: Relationship, said: list[str]
) -> None:
    conversation.say("I like tea.")
    turn_id, first = Message.objects.values_list("turn_id", "seq").get(id=said[0])
    last = Message.objects.get(id=said[1]).seq
    which = {"turns": [str(turn_id)]} if by == "turns" else {"from_seq": first, "to_seq": last}

    answer = api.post(f"/relationships/{relationship.id}/messages/redact", which)

    assert (answer.status, answer.body["erased"]["message"]) == (200, 2)
    left = api.get(f"/relationships/{relationship.id}/messages").body["items"]
    assert [message["content"] for message in left] == ["I like tea.", "", ""]
    assert AuditEvent.objects.get(action="messages.redacted").detail["messages"] == said


def test_of_no_message_nothing_goes(api: Api, relationship: Relationship, said: list[str]) -> None:
    said_again = [NewMessage("user", "I live in Vienna.")]
    request_replay(relationship=relationship, template="Keep it.", messages=said_again, by=PERSON)

    answer = api.post(f"/relationships/{relationship.id}/messages/redact", {"from_seq": 900, "to_seq": 901})

    assert (answer.status, answer.body["erased"]) == (200, {})
    assert Replay.objects.count() == 1


def test_where_one_message_is_not_there_none_is_redacted(
    api: Api, relationship: Relationship, said: list[str]
) -> None:
    answer = redact(api, relationship, said[0], "00000000-0000-7000-8000-000000000000")

    assert (answer.status, answer.fields) == (422, ["messages"])
    assert "00000000-0000-7000-8000-000000000000" in answer.body["detail"]
    assert not Message.objects.exclude(erased_at=None).exists()


def test_no_message_of_another_relationship_is_reached(
    api: Api, relationship: Relationship, said: list[str]
) -> None:
    assert redact(api, meet(relationship.companion), *said).status == 422
    assert not Message.objects.exclude(erased_at=None).exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"messages": []}, "messages"),
        ({}, "messages"),
        ({"messages": ["x"]}, "messages.0"),
        ({"messages": ["00000000-0000-7000-8000-000000000000"] * 501}, "messages"),
        ({"messages": ["00000000-0000-7000-8000-000000000000"], "reason": "x"}, "reason"),
        ({"turns": ["00000000-0000-7000-8000-000000000000"]}, "turns"),
        ({"from_seq": 1}, "to_seq"),
        ({"from_seq": 9, "to_seq": 1}, "to_seq"),
    ],
    ids=[
        "none",
        "left-out",
        "no-id",
        "too-many",
        "unknown-field",
        "no-such-turn",
        "half-a-range",
        "turned-round",
    ],
)
def test_what_to_redact_has_to_be_named(
    body: dict[str, object], field: str, api: Api, relationship: Relationship
) -> None:
    answer = api.post(f"/relationships/{relationship.id}/messages/redact", body)

    assert (answer.status, answer.fields) == (422, [field])
