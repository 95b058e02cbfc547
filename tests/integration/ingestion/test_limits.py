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


def test_the_archive_counts_too_whoever_fills_it(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    config = {"ingestion": {"provider": "scripted", "max_entries": 2, "tier": "archive"}}
    Companion.objects.filter(id=conversation.relationship.companion_id).update(config=config)
    scripted_provider.answer_with(answer(add("One"), add("Two"), add("Three")), answer(add("Four")))

    first = conversation.hear("One, two, three.")
    config["ingestion"]["tier"] = "scratchpad"
    Companion.objects.filter(id=conversation.relationship.companion_id).update(config=config)
    second = conversation.hear("Four.")

    assert [verdict for verdict, _ in conversation.verdicts(first)] == ["applied", "applied", "refused"]
    assert [verdict for verdict, _ in conversation.verdicts(second)] == ["refused"]


def test_what_makes_room_or_takes_a_place_over_is_let_in(
    two_at_most: None, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Porto", key="city"), add("Two")))
    conversation.hear("I live in Porto. Two.")
    number = conversation.number_of("Two")
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


def test_a_deleted_entry_comes_back_only_where_there_is_room(
    two_at_most: None, conversation: Conversation, api: Api
) -> None:
    path = f"/relationships/{conversation.relationship.id}/entries"
    one = conversation.remember("One", "Two")[0]
    api.delete(f"{path}/{one.id}")
    three = api.post(path, {"content": "Three", "type": "other"})

    refused = api.post(f"{path}/{one.id}/restore")
    api.delete(f"{path}/{three.body['id']}")
    restored = api.post(f"{path}/{one.id}/restore")

    assert (refused.status, refused.body["type"]) == (409, "urn:rapport:problem:too_many_entries")
    assert (refused.body["limit"], refused.body["count"]) == (2, 2)
    assert restored.status == 200
    assert sorted(conversation.contents) == ["One", "Two"]


def test_a_value_that_gives_way_makes_room_for_the_one_brought_back(
    two_at_most: None, conversation: Conversation, api: Api, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Lives in Porto", key="city"), add("Two")), answer(add("Lives in Lisbon", key="city"))
    )
    conversation.hear("I live in Porto. Two.")
    porto = next(entry for entry in conversation.entries if entry.content == "Lives in Porto")
    conversation.hear("I live in Lisbon.")

    restored = api.post(f"/relationships/{conversation.relationship.id}/entries/{porto.id}/restore")

    assert restored.status == 200
    assert sorted(conversation.contents) == ["Lives in Porto", "Two"]
