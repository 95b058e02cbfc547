"""Too many deletions at once wait for a person, who confirms or declines; both can be seen, and undone."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from memory.models import HeldDeletion
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.contexts import remember
from tests.fixtures.turns import Conversation, add, answer, delete

FACTS = [f"Fact {letter}" for letter in "abcdef"]


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/held-deletions"


@pytest.fixture
def held(
    conversation: Conversation, relationship: Relationship, scripted_provider: ScriptedProvider
) -> HeldDeletion:
    remember(relationship, *FACTS)
    scripted_provider.answer_with(answer(*(delete(number, reason="asked to") for number in range(1, 7))))
    conversation.hear("Forget everything about me.")
    return HeldDeletion.objects.get()


def decide(api: Api, path: str, held: HeldDeletion, decision: str) -> tuple[int, str]:
    given = api.post(f"{path}/{held.id}/{decision}")
    return given.status, given.body.get("state") or given.body["type"].rpartition(":")[2]


def test_what_waits_is_listed_with_its_entries(api: Api, path: str, held: HeldDeletion) -> None:
    page = api.get(path).body

    [item] = page["items"]
    assert (item["id"], item["turn_id"], item["state"]) == (str(held.id), str(held.turn_id), "waiting")
    assert (item["decided_by"], item["decided_at"]) == (None, None)
    assert {entry["content"] for entry in item["entries"]} == set(FACTS)
    assert {(entry["reason"], entry["state"], entry["changed_since"]) for entry in item["entries"]} == {
        ("asked to", "active", False)
    }
    assert page["next_cursor"] is None


def test_confirming_deletes_and_each_can_be_restored(
    api: Api, path: str, held: HeldDeletion, conversation: Conversation
) -> None:
    confirmed = api.post(f"{path}/{held.id}/confirm")

    assert (confirmed.status, confirmed.body["state"], confirmed.body["left_alone"]) == (200, "confirmed", [])
    assert confirmed.body["decided_by"].startswith("developer:rk_")
    assert {entry["state"] for entry in confirmed.body["entries"]} == {"deleted"}
    assert conversation.contents == []
    last = conversation.revisions[-1]
    assert (last.event, last.actor_kind, last.turn_id) == ("delete", "developer", held.turn_id)

    entry_id = confirmed.body["entries"][0]["entry_id"]
    assert api.post(f"/relationships/{held.relationship_id}/entries/{entry_id}/restore").status == 200
    assert len(conversation.contents) == 1


def test_declining_keeps_them_and_the_request_can_still_be_read(
    api: Api, path: str, held: HeldDeletion, conversation: Conversation
) -> None:
    assert decide(api, path, held, "decline") == (200, "declined")

    assert sorted(conversation.contents) == FACTS
    [item] = api.get(path).body["items"]
    assert (item["state"], len(item["entries"])) == ("declined", 6)


@pytest.mark.parametrize("first", ["confirm", "decline"])
@pytest.mark.parametrize("second", ["confirm", "decline"])
def test_a_decision_is_made_once(
    api: Api, path: str, held: HeldDeletion, conversation: Conversation, first: str, second: str
) -> None:
    decide(api, path, held, first)
    left = conversation.contents

    assert decide(api, path, held, second) == (409, "already_decided")
    assert conversation.contents == left


def test_what_was_changed_since_is_left_alone_and_named(
    api: Api, path: str, held: HeldDeletion, conversation: Conversation
) -> None:
    entries = f"/relationships/{held.relationship_id}/entries"
    edited, locked, deleted, erased = (str(entry.id) for entry in conversation.entries[:4])
    api.patch(f"{entries}/{edited}", {"content": "Edited meanwhile"})
    api.patch(f"{entries}/{locked}", {"read_only": True})
    api.delete(f"{entries}/{deleted}")
    api.delete(f"{entries}/{erased}?permanent=true")

    shown = {entry["entry_id"]: entry for entry in api.get(path).body["items"][0]["entries"]}
    assert (shown[edited]["changed_since"], shown[edited]["content"]) == (True, "Edited meanwhile")
    assert shown[deleted]["state"] == "deleted"
    if erased in shown:
        assert (shown[erased]["state"], shown[erased]["content"]) == ("erased", None)

    confirmed = api.post(f"{path}/{held.id}/confirm").body

    assert sorted(confirmed["left_alone"]) == sorted([edited, locked])
    assert len(conversation.contents) == 2


def test_the_newest_comes_first_and_pages_go_on(
    api: Api, path: str, held: HeldDeletion, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    decide(api, path, held, "decline")
    scripted_provider.answer_with(answer(*(delete(number) for number in range(1, 6)), add("Wants peace")))
    conversation.hear("Do forget.")

    first = api.get(f"{path}?limit=1").body
    second = api.get(f"{path}?limit=1&cursor={first['next_cursor']}").body

    assert [item["state"] for item in (*first["items"], *second["items"])] == ["waiting", "declined"]
    assert second["next_cursor"] is None


@pytest.mark.django_db(transaction=True)
def test_of_two_who_decide_at_once_one_decides(
    api: Api, path: str, held: HeldDeletion, conversation: Conversation
) -> None:
    def act(decision: str) -> tuple[int, str]:
        try:
            return decide(Api(api.key), path, held, decision)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        outcomes = dict(zip(("confirm", "decline"), pool.map(act, ("confirm", "decline")), strict=True))

    assert sorted(status for status, _ in outcomes.values()) == [200, 409]
    assert len(conversation.contents) == (0 if outcomes["confirm"][0] == 200 else 6)


def test_the_turn_says_how_many_deletions_await_review(
    api: Api, path: str, held: HeldDeletion, relationship: Relationship
) -> None:
    turn = f"/relationships/{relationship.id}/turns/{held.turn_id}"
    waiting = api.get(turn).body
    assert (waiting["remembered"], waiting["deletions_awaiting_review"]) == ([], 6)

    decide(api, path, held, "decline")

    assert api.get(turn).body["deletions_awaiting_review"] == 0


def test_the_list_of_turns_says_so_too_and_what_held_nothing_says_none(
    api: Api, held: HeldDeletion, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Likes tea")))
    conversation.hear("I like tea.")
    conversation.say("Still to be read.")

    listed = api.get(f"/relationships/{held.relationship_id}/turns").body["items"]

    assert [turn["deletions_awaiting_review"] for turn in listed] == [None, 0, 6]
