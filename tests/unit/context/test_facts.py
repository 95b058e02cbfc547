from datetime import timedelta

import pytest

from context.facts import MESSAGES_AT_FIRST, Facts, count_turns, read_facts, recent_messages, turns_in_sight
from relationships.models import EndUser, Relationship, Snapshot
from relationships.services.sessions import touch_session
from tests.fixtures.contexts import NOON, put, remember, say
from tests.wire import statements_sent


def facts_of(relationship: Relationship, session: str = "current") -> Facts:
    return read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session=session)


def test_a_relationship_without_a_snapshot_has_empty_facts(relationship: Relationship) -> None:
    facts = facts_of(relationship)

    assert (facts.user_name, facts.companion_name, facts.timezone) == ("Maya", "Ada", "UTC")
    assert (facts.profile, facts.session_state, facts.scratchpad, facts.fresh_until) == ({}, {}, [], None)


def test_the_facts_are_what_the_snapshot_holds(relationship: Relationship) -> None:
    put(relationship, "profile", {"tier": "gold"})
    put(relationship, "sessions", {"phone": {"page": 3}, "current": {"page": 1}})
    (entry,) = remember(relationship, "Lives in Lisbon", expires_at=NOON + timedelta(days=1))

    facts = facts_of(relationship, "phone")

    assert facts.profile == {"tier": "gold"}
    assert facts.session_state == {"page": 3}
    assert [line[:3] for line in facts.scratchpad] == [[str(entry.id), "other", "Lives in Lisbon"]]
    assert facts.fresh_until == NOON + timedelta(days=1)


def test_a_session_that_is_not_open_has_no_state(relationship: Relationship) -> None:
    put(relationship, "sessions", {"phone": {"page": 3}})

    facts = facts_of(relationship, "desk")

    assert facts.session_state == {}


def test_a_person_without_a_display_name_is_called_by_their_id(
    relationship: Relationship, end_user: EndUser
) -> None:
    EndUser.objects.filter(id=end_user.id).update(display_name="", external_id="maya-7")

    facts = facts_of(relationship)

    assert facts.user_name == "maya-7"


def contents_of(relationship: Relationship, session: str, limit: int = 20) -> list[str]:
    facts = facts_of(relationship, session)
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


def test_the_facts_say_whether_there_is_an_archive(relationship: Relationship) -> None:
    answers = [facts_of(relationship).has_archive]
    put(relationship, "profile", {"tier": "gold"})
    answers.append(facts_of(relationship).has_archive)
    for tier in ("scratchpad", "archive"):
        remember(relationship, f"Is in the {tier}", tier=tier)
        answers.append(facts_of(relationship).has_archive)
    Snapshot.objects.for_relationship(relationship.id).update(has_archive=None)  # by an older version

    assert [*answers, facts_of(relationship).has_archive] == [False, False, False, True, True]


def test_turns_are_counted_within_the_session_without_asking_while_all_are_in_sight(
    relationship: Relationship,
) -> None:
    say(relationship, "elsewhere", session="desk")
    for place in range(MESSAGES_AT_FIRST - 1):
        say(relationship, f"message {place}", session="phone")

    short = facts_of(relationship, "phone")
    with statements_sent() as sent:
        counted = count_turns(short)
    say(relationship, *["one more"] * 5, session="phone")
    long = facts_of(relationship, "phone")

    assert (counted, len(sent)) == (MESSAGES_AT_FIRST - 1, 0)
    assert count_turns(long) == 0  # no turn came in by the service
    touch_session(relationship=relationship, session="phone", at=NOON, idle_minutes=0, turns=40)
    assert count_turns(long) == 40  # its messages are not counted
    assert turns_in_sight(facts_of(relationship, "tablet")) == 0


def test_a_message_knows_when_it_was_said(relationship: Relationship) -> None:
    (message,) = say(relationship, "Hi")

    facts = facts_of(relationship)

    (recent,) = facts.messages
    assert (recent.said_at, recent.turn_id) == (NOON.timestamp(), str(message.turn_id))
