"""Every change of a relationship's memory: what it was, what it became, who did it and what it rests on."""

from itertools import pairwise
from typing import Any

from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation, add, answer, update


def made(api: Api, at: str, content: str) -> dict[str, Any]:
    entry: dict[str, Any] = api.post(f"{at}/entries", {"content": content, "type": "other"}).body
    return entry


def test_a_change_shows_both_texts_who_made_it_and_what_it_rests_on(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(
        answer(add("Has a sister")), answer(update(1, "Has a sister, Ana", reason="her name"))
    )
    conversation.hear("I have a sister.")
    turn = conversation.hear("Her name is Ana.")
    entry = conversation.entries[0]
    api.patch(f"{at}/entries/{entry.id}", {"content": "Has a sister, Anna", "reason": "two n"})

    by_person, by_model, first = api.get(f"{at}/history").body["items"]

    assert (by_person["before"]["content"], by_person["after"]["content"]) == (
        "Has a sister, Ana",
        "Has a sister, Anna",
    )
    assert (by_person["actor_kind"], by_person["reason"], by_person["turn_id"]) == (
        "developer",
        "two n",
        None,
    )
    assert by_person["actor_id"].startswith("rk_")
    assert (by_model["actor_kind"], by_model["actor_id"], by_model["model"]) == (
        "model",
        "scripted-1",
        "scripted-1",
    )
    assert (by_model["turn_id"], by_model["reason"]) == (str(turn.id), "her name")
    assert [by_model["model_call_id"]] == [str(call_id) for call_id in turn.model_call_ids]
    assert (first["event"], first["before"], first["after"]["content"]) == ("add", None, "Has a sister")
    assert [item["entry_version"] for item in (by_person, by_model, first)] == [3, 2, 1]
    assert by_person["seq"] > by_model["seq"] > first["seq"]


def test_replaying_the_history_gives_the_entry_as_it_stands(api: Api, at: str) -> None:
    address = f"{at}/entries/{made(api, at, 'Likes tea')['id']}"
    api.patch(
        address, {"importance": 0.9, "tags": {"area": "food"}, "happens_at": "2026-03-02T09:00:00+01:00"}
    )
    api.delete(address)
    api.post(f"{address}/restore")

    entry = api.get(address).body
    history = api.get(f"{address}/history").body["items"]

    last = history[0]["after"]
    kept = (
        "id",
        "content",
        "type",
        "state",
        "importance",
        "tags",
        "metadata",
        "key",
        "subject",
        "version",
        "pinned",
    )
    assert {name: last[name] for name in kept} == {name: entry[name] for name in kept}
    assert [item["event"] for item in history] == ["restore", "delete", "update", "add"]
    assert all(newer["before"] == older["after"] for newer, older in pairwise(history))


def test_its_times_are_those_that_the_entry_is_told_with(api: Api, at: str) -> None:
    entry = api.post(
        f"{at}/entries",
        {"content": "Likes tea.", "type": "other", "valid_from": "2026-03-02T09:00:00+02:00"},
    ).body

    after = api.get(f"{at}/history").body["items"][0]["after"]

    assert after["valid_from"] == entry["valid_from"] == "2026-03-02T07:00:00Z"
    assert (after["recorded_at"], after["effective_at"]) == (entry["recorded_at"], entry["effective_at"])


def test_an_entrys_history_is_its_own(api: Api, at: str) -> None:
    tea, rain = made(api, at, "Likes tea"), made(api, at, "Likes rain")
    api.patch(f"{at}/entries/{tea['id']}", {"pinned": True})

    assert [item["event"] for item in api.get(f"{at}/entries/{tea['id']}/history").body["items"]] == [
        "update",
        "add",
    ]
    assert [item["entry_id"] for item in api.get(f"{at}/history").body["items"]] == [
        tea["id"],
        rain["id"],
        tea["id"],
    ]


def test_the_history_of_what_was_erased_says_that_and_when_without_a_word(api: Api, at: str) -> None:
    entry = made(api, at, "Has a heron tattoo")
    api.patch(
        f"{at}/entries/{entry['id']}",
        {"content": "Has a heron tattoo on the arm", "reason": "heron, again"},
    )
    api.delete(f"{at}/entries/{entry['id']}?permanent=true")

    for address in (f"{at}/history", f"{at}/entries/{entry['id']}/history"):
        history = api.get(address)
        assert [item["event"] for item in history.body["items"]] == ["redact", "update", "add"]
        assert all(item["redacted_at"] for item in history.body["items"][1:])
        assert "heron" not in history.raw.decode()


def test_the_end_of_an_entrys_history_is_an_empty_page_and_not_an_error(api: Api, at: str) -> None:
    address = f"{at}/entries/{made(api, at, 'Likes tea')['id']}/history"
    api.patch(address.removesuffix("/history"), {"pinned": True})
    cursor = api.get(f"{address}?limit=1").body["next_cursor"]
    last = api.get(f"{address}?limit=1&cursor={cursor}").body

    assert ([item["event"] for item in last["items"]], last["next_cursor"]) == (["add"], None)
