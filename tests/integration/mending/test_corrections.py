"""What the person says against an entry that was never true is found: it is what a later question has to be answered by.
A correction by call changes the entry, and leaves what was said as it was said."""

from typing import Any

import pytest

from relationships.models import Message
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation, add, answer, delete

WRONG, RIGHT = "I have a dog called Rex.", "No, I don't have a dog, that was wrong. I have a parrot."


@pytest.mark.parametrize("held", [False, True], ids=["at once", "held"])
@pytest.mark.parametrize(
    ("said", "found"), [({"untrue": True}, [RIGHT]), ({}, []), ({"untrue": "no"}, [])], ids=str
)
def test_of_what_was_never_true_the_correction_is_found_and_the_error_is_not(
    api: Api,
    at: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    said: dict[str, Any],
    found: list[str],
    held: bool,
) -> None:
    if held:
        hold = {"config": {"ingestion": {"deletion_hold": {"count": 0, "share": 0}}}}
        assert api.patch(at, hold).status == 200
    scripted_provider.answer_with(answer(add("Has a dog called Rex")))
    conversation.exchange(WRONG, "What a name!")
    scripted_provider.answer_with(answer(delete(1, **said), add("Has a parrot")))
    scripted_provider.otherwise = answer()
    conversation.exchange(RIGHT, "I see.")
    waiting = api.get(f"{at}/held-deletions").body["items"]
    assert len(waiting) == held
    for one in waiting:
        assert api.post(f"{at}/held-deletions/{one['id']}/confirm").status == 200

    hits = api.post(f"{at}/messages/search", {"query": "Do I have a dog?"}).body["items"]
    assert [one["content"] for one in hits if "dog" in one["content"]] == found
    assert conversation.contents == ["Has a parrot"]
    context = {"context": {"recent_messages": 0}}
    shown = api.post(f"{at}/context", {"message": "Do I have a dog?", "config": context}).body["system"]
    assert WRONG not in shown and (RIGHT in shown) is bool(found)


WISH = {"what": "that I live in Lisbon", "to": "Lives in Graz"}


def test_by_rules_the_one_entry_that_says_it_is_changed_at_once_and_no_message(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Lives in Lisbon"), add("Ana is allergic to peanuts")))
    conversation.exchange("I live in Lisbon. My sister Ana is allergic to peanuts.", "Is Lisbon nice?")

    conversation.read_by_rules()
    plan = api.post(f"{at}/correct", WISH).body

    assert (plan["state"], [one["kind"] for one in plan["items"]]) == ("carried_out", ["entry"])
    assert sorted(conversation.contents) == ["Ana is allergic to peanuts", "Lives in Graz"]
    said = Message.objects.for_relationship(conversation.relationship.id)
    assert not said.filter(hidden_at__isnull=False).exists()


def test_what_was_true_once_is_not_corrected(api: Api, at: str, conversation: Conversation) -> None:
    conversation.read_by_rules()
    for city in ("Lisbon", "Porto"):
        entry = {"type": "identity", "key": "city", "content": f"Lives in {city}"}
        assert api.post(f"{at}/entries", entry).status == 201

    refused = api.post(f"{at}/correct", WISH)
    assert (refused.status, refused.body["type"]) == (409, "urn:rapport:problem:nothing_fits")
    assert [one["content"] for one in refused.body["looked_at"]] == ["Lives in Porto"]

    api.post(f"{at}/entries", {"type": "identity", "key": "city", "content": "Lives in Lisbon with Ana"})
    assert api.post(f"{at}/correct", WISH).body["state"] == "carried_out"
    past = api.get(f"{at}/entries?state=superseded").body["items"]
    assert {one["content"] for one in past} == {"Lives in Lisbon", "Lives in Porto"}
