from datetime import timedelta

import pytest

from context.facts import MESSAGES_AT_FIRST, read_facts, recent_messages
from relationships.errors import NotFound
from relationships.ids import uuid7
from relationships.models import EndUser, Relationship
from tests.fixtures.contexts import NOON, put, remember, say
from tests.wire import statements_sent


def test_a_relationship_without_a_snapshot_has_empty_facts(relationship: Relationship) -> None:
    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="current")

    assert (facts.user_name, facts.companion_name, facts.timezone) == ("Maya", "Ada", "UTC")
    assert (facts.profile, facts.session_state, facts.scratchpad, facts.fresh_until) == ({}, {}, [], None)


def test_the_facts_are_what_the_snapshot_holds(relationship: Relationship) -> None:
    put(relationship, "profile", {"tier": "gold"})
    put(relationship, "sessions", {"phone": {"page": 3}, "current": {"page": 1}})
    (entry,) = remember(relationship, "Lives in Lisbon", expires_at=NOON + timedelta(days=1))

    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="phone")

    assert facts.profile == {"tier": "gold"}
    assert facts.session_state == {"page": 3}
    assert [line[:3] for line in facts.scratchpad] == [[str(entry.id), "other", "Lives in Lisbon"]]
    assert facts.fresh_until == NOON + timedelta(days=1)


def test_a_session_that_is_not_open_has_no_state(relationship: Relationship) -> None:
    put(relationship, "sessions", {"phone": {"page": 3}})

    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="desk")

    assert facts.session_state == {}


def test_another_projects_relationship_is_not_there(relationship: Relationship) -> None:
    with pytest.raises(NotFound):
        read_facts(project_id=uuid7(), relationship_id=relationship.id, session="current")


def test_a_person_without_a_display_name_is_called_by_their_id(
    relationship: Relationship, end_user: EndUser
) -> None:
    EndUser.objects.filter(id=end_user.id).update(display_name="", external_id="maya-7")

    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session="current")

    assert facts.user_name == "maya-7"


def contents_of(relationship: Relationship, session: str, limit: int = 20) -> list[str]:
    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session=session)
    return [message.content for message in recent_messages(facts, limit=limit)]


def test_the_last_messages_of_the_session_are_read_oldest_first(relationship: Relationship) -> None:
    say(relationship, "one", "two", session="phone")
    say(relationship, "elsewhere", session="desk")
    say(relationship, "three", session="phone")

    assert contents_of(relationship, "phone") == ["one", "two", "three"]
    assert contents_of(relationship, "phone", limit=2) == ["two", "three"]
    assert contents_of(relationship, "phone", limit=0) == []


def test_a_new_session_is_shown_what_was_said_in_the_others(relationship: Relationship) -> None:
    say(relationship, "one", session="phone")
    say(relationship, "two", session="desk")

    assert contents_of(relationship, "tablet") == ["one", "two"]


def test_an_erased_message_is_not_read(relationship: Relationship) -> None:
    say(relationship, "fine", session="phone")
    say(relationship, "", session="phone", erased_at=NOON)

    assert contents_of(relationship, "phone") == ["fine"]


@pytest.mark.parametrize("session", ["phone", "tablet"], ids=["its own", "of all sessions"])
@pytest.mark.parametrize(
    ("said", "limit", "statements"),
    [
        (MESSAGES_AT_FIRST, MESSAGES_AT_FIRST, 1),
        (MESSAGES_AT_FIRST - 1, MESSAGES_AT_FIRST + 10, 1),
        (MESSAGES_AT_FIRST + 5, MESSAGES_AT_FIRST + 10, 2),
        (MESSAGES_AT_FIRST + 5, 3, 1),
    ],
    ids=["as many as come along", "no more there", "more wanted", "fewer wanted"],
)
def test_only_more_messages_than_usual_take_a_second_statement(
    relationship: Relationship, session: str, said: int, limit: int, statements: int
) -> None:
    words = [f"message {place}" for place in range(said)]
    say(relationship, *words, session="phone")

    with statements_sent() as sent:
        contents = contents_of(relationship, session, limit)

    assert contents == words[-limit:]
    assert len(sent) == statements
