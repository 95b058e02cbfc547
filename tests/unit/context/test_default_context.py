"""The default installation: nothing configured, no key."""

import re
from datetime import timedelta
from typing import Any

import pytest

from context.layers.episodes import INTRO
from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from memory.models import SearchText
from memory.retrieval.index.language import known_languages
from relationships.models import Message, Relationship
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.contexts import NOON, remember
from tests.wire import statements_sent

TOPICS = "garden weather train piano market soup film neighbour bicycle window river letter".split()
ANSWER = "We named the puppy Biscuit, after my grandmother's bakery."


@pytest.fixture
def long_ago(relationship: Relationship) -> Relationship:
    """A conversation in which the answer was said 300 messages ago."""
    said = [("What did you do today?", ANSWER)]
    for place in range(150):
        topic = TOPICS[place % len(TOPICS)]
        said.append(
            (f"How is it going with the {topic}?", f"The {topic} kept me busy again, number {place}.")
        )
    for place, (question, answer) in enumerate(said):
        accept_turn(
            relationship=relationship,
            new=NewTurn(
                [NewMessage("assistant", question), NewMessage("user", answer)],
                occurred_at=NOON + timedelta(hours=place),
            ),
        )
    return relationship


def system_of(relationship: Relationship, message: str) -> str:
    return build_context(
        project_id=relationship.project_id, relationship_id=relationship.id, message=message
    ).system


def test_what_was_said_300_messages_ago_is_shown_when_it_is_asked_about(long_ago: Relationship) -> None:
    with statements_sent() as sent:
        system = system_of(long_ago, "Do you remember what the puppy is called?")

    assert ANSWER in system
    assert len(sent) == 3  # the facts, the search, the messages that were found


def test_the_day_is_told_once_by_whatever_tells_days_first(long_ago: Relationship) -> None:
    asked = "Do you remember what the puppy is called?"
    alone = system_of(long_ago, asked)
    remember(long_ago, "Prefers tea")
    beside = system_of(long_ago, asked)

    heading, today, fence, *_ = alone.splitlines()
    assert re.fullmatch(r"Today is [A-Z][a-z]+day, \d{4}-\d\d-\d\d\.", today)
    assert (heading, fence) == (INTRO.format(companion="Ada"), "<rapport_episodes>")
    assert beside.index(today) < beside.index("- Prefers tea") < beside.index(heading)
    assert beside.count("Today is") == alone.count("Today is") == 1


def test_its_words_are_stemmed_in_the_language_that_was_found(long_ago: Relationship) -> None:
    long_ago.refresh_from_db()
    assert long_ago.language == "english"
    assert set(SearchText.objects.values_list("language", flat=True)) == {"english"}
    assert ANSWER in system_of(long_ago, "Which bakeries were there, and naming which puppies?")


@pytest.mark.parametrize("message", ["haha yeah", "Hey Ada, how are you?"])
def test_a_message_that_asks_nothing_searches_nothing(long_ago: Relationship, message: str) -> None:
    with statements_sent() as sent:
        system = system_of(long_ago, message)

    assert ANSWER not in system
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("sessions", "context", "statements"),
    [
        (("current",) * 2, {}, 1),
        (("current", "another"), {}, 3),  # one is out of sight, and found
        (("another",) * 2, {}, 1),  # a new session is shown what was said in the others
        (("current",) * 2, {"layers": {"messages": {"budget": 20}}}, 3),
        (("current",) * 2, {"layers": {"messages": {"enabled": False}}}, 3),
        (("current",) * 12, {}, 3),
    ],
)
def test_nothing_is_searched_where_all_that_was_said_is_shown(
    relationship: Relationship, sessions: tuple[str, ...], context: dict[str, Any], statements: int
) -> None:
    for place, session in enumerate(sessions):
        said = [
            NewMessage("user", f"The puppy is {place}."),
            NewMessage("assistant", "What a lovely age it is!"),
        ]
        accept_turn(relationship=relationship, new=NewTurn(said, occurred_at=NOON, session=session))
    known_languages()  # asked once a process

    with statements_sent() as sent:
        build_context(
            project_id=relationship.project_id,
            relationship_id=relationship.id,
            message="How old is the puppy?",
            config={"context": context},
        )

    assert len(sent) == statements


def test_a_conversation_in_german_is_found_by_other_forms_of_its_words(relationship: Relationship) -> None:
    said = [
        "Meine Schwester hat letzte Woche zwei Katzen aus dem Tierheim geholt.",
        "Am Wochenende wandern wir durch die Berge und schlafen in einer Hütte.",
        "Ich arbeite seit drei Jahren als Krankenpfleger in einem kleinen Krankenhaus.",
        "Der Kuchen ist leider im Ofen verbrannt, aber alle haben gelacht.",
    ]
    for place, text in enumerate(said):
        turn = NewTurn([NewMessage("user", text)], occurred_at=NOON + timedelta(days=place), session="einst")
        accept_turn(relationship=relationship, new=turn)
    accept_turn(relationship=relationship, new=NewTurn([NewMessage("user", "Na du")], occurred_at=NOON))

    relationship.refresh_from_db()
    assert relationship.language == "german"
    assert said[0] in system_of(relationship, "Welche Katze war das?")
    assert Message.objects.count() == 5
