"""A relationship holds as many entries as its configuration allows; what is past that is refused visibly."""

import pytest

from relationships.models import Companion
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation, add, answer, delete


@pytest.fixture
def two_at_most(companion: Companion) -> None:
    config = {"ingestion": {"provider": "scripted", "max_entries": 2}}
    Companion.objects.filter(id=companion.id).update(config=config)


def test_what_ingestion_would_add_past_the_limit_is_refused_on_the_turn(
    two_at_most: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("One"), add("Two"), add("Three")))

    turn = conversation.hear("One, two, three.")

    assert sorted(conversation.contents) == ["One", "Two"]
    assert conversation.verdicts(turn)[2] == (
        "refused",
        "the relationship holds 2 entries, as many as it may",
    )


def test_what_makes_room_or_takes_a_place_over_is_let_in(
    two_at_most: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Porto", key="city"), add("Two")))
    conversation.hear("I live in Porto. Two.")
    number = 1 + conversation.contents.index("Two")
    scripted_provider.answer_with(
        answer(add("Lives in Lisbon", key="city"), delete(number), add("Two"), add("Three"), add("Four"))
    )

    conversation.hear("I live in Lisbon. Not two, but three.")

    assert len(conversation.contents) == 2
    assert "Lives in Lisbon" in conversation.contents


def test_an_explicit_save_past_the_limit_is_a_conflict_that_names_limit_and_count(
    two_at_most: None, conversation: Conversation, api: Api
) -> None:
    path = f"/relationships/{conversation.relationship.id}/entries"
    conversation.remember("One", "Two")

    refused = api.post(path, {"content": "Three", "type": "other"})

    assert (refused.status, refused.body["type"]) == (409, "urn:rapport:problem:too_many_entries")
    assert (refused.body["limit"], refused.body["count"]) == (2, 2)
