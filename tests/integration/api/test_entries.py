"""Entries: what people add, change, take away and bring back; and what two of them do at once."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Companion, Relationship, Snapshot
from tests.fixtures.api import Api

TEA = {"content": "Prefers tea over coffee", "type": "preference"}


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/entries"


def made(api: Api, path: str, content: str = "Likes tea", **values: Any) -> dict[str, Any]:
    answer = api.post(path, {"content": content, "type": "other", **values})
    assert answer.status == 201, answer
    entry: dict[str, Any] = answer.body
    return entry


def shown() -> list[str]:
    """The scratchpad as the next context has it."""
    return [line[2] for line in Snapshot.objects.get().scratchpad]


def test_an_entry_is_remembered_shown_and_read_back(api: Api, path: str) -> None:
    answer = api.post(
        path, {**TEA, "tags": {"area": "food"}, "metadata": {"by": ["crm"]}, "reason": "she said so"}
    )

    assert (answer.status, answer.headers["ETag"]) == (201, '"1"')
    entry = answer.body
    assert (entry["content"], entry["type"], entry["source"]) == (TEA["content"], "preference", "api")
    assert (entry["state"], entry["tier"], entry["subject"]) == ("active", "scratchpad", "user")
    assert (entry["importance"], entry["confidence"], entry["weight"]) == (0.5, 1.0, 1.0)
    assert (entry["tags"], entry["metadata"]) == ({"area": "food"}, {"by": ["crm"]})
    assert entry["recorded_at"] == entry["effective_at"]
    assert api.get(f"{path}/{entry['id']}").body == entry
    assert shown() == [TEA["content"]]
    assert EntryRevision.objects.get().reason == "she said so"


@pytest.mark.parametrize(
    "content",
    [
        "أختها اسمها ليلى",
        "יש לה כלב",
        "Loves \U0001f468‍\U0001f469‍\U0001f467 and \U0001f1f5\U0001f1f9",
        "a\nb\tc",
        "é" * 2048,
        "‮abc",
    ],
    ids=["arabic", "hebrew", "emoji", "lines", "as long as allowed", "override"],
)
def test_a_text_of_any_script_comes_back_as_it_went(api: Api, path: str, content: str) -> None:
    entry = made(api, path, content, subject="Léa \U0001f98a", tags={"a": "ب"})

    again = api.get(f"{path}/{entry['id']}").body
    assert (again["content"], again["subject"], again["tags"]) == (content, "Léa \U0001f98a", {"a": "ب"})


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["content", "type"]),
        ({**TEA, "content": ""}, ["content"]),
        ({**TEA, "content": " \n "}, ["content"]),
        ({**TEA, "content": None}, ["content"]),
        ({**TEA, "content": "x" * 4097}, ["content"]),
        ({**TEA, "content": "é" * 2049}, ["content"]),
        ({**TEA, "type": "hobby"}, ["type"]),
        ({**TEA, "type": "Preference"}, ["type"]),
        ({**TEA, "subject": ""}, ["subject"]),
        ({**TEA, "subject": "a\nb"}, ["subject"]),
        ({**TEA, "key": "Home Town"}, ["key"]),
        ({**TEA, "tier": "attic"}, ["tier"]),
        ({**TEA, "importance": 1.01}, ["importance"]),
        ({**TEA, "importance": -0.01}, ["importance"]),
        ({**TEA, "importance": "0.5"}, ["importance"]),
        ({**TEA, "importance": True}, ["importance"]),
        ({**TEA, "confidence": None}, ["confidence"]),
        ({**TEA, "weight": -1}, ["weight"]),
        ({**TEA, "weight": "1"}, ["weight"]),
        ({**TEA, "pinned": 1}, ["pinned"]),
        ({**TEA, "tags": {"a b": "x"}}, ["tags.a b"]),
        ({**TEA, "tags": {"a": 1}}, ["tags.a"]),
        ({**TEA, "tags": {"a": "x" * 201}}, ["tags.a"]),
        ({**TEA, "tags": {f"t{n}": "x" for n in range(13)}}, ["tags"]),
        ({**TEA, "tags": ["a=b"]}, ["tags"]),
        ({**TEA, "metadata": []}, ["metadata"]),
        ({**TEA, "metadata": {"x": "y" * 16_384}}, ["metadata"]),
        ({**TEA, "metadata": {"x": "é" * 8_192}}, ["metadata"]),
        ({**TEA, "happens_at": "tomorrow"}, ["happens_at"]),
        ({**TEA, "expires_at": "2026-03-02"}, ["expires_at"]),
        ({**TEA, "valid_from": "2026-03-02T00:00:00Z", "valid_to": "2026-03-01T00:00:00Z"}, ["valid_to"]),
        ({**TEA, "effective_at": "9999-01-01T00:00:00Z"}, ["effective_at"]),
        ({**TEA, "state": "deleted"}, ["state"]),
        ({**TEA, "source": "manual"}, ["source"]),
        ({**TEA, "single_valued": True}, ["single_valued"]),
        ({**TEA, "reason": "x" * 201}, ["reason"]),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(
    api: Api, path: str, body: Any, fields: list[str]
) -> None:
    answer = api.post(path, body)

    assert (answer.status, answer.fields) == (422, fields)
    assert not ScratchpadEntry.objects.exists() and not EntryRevision.objects.exists()


def test_an_entry_can_not_end_before_it_begins_by_a_change_either(api: Api, path: str) -> None:
    made = api.post(path, {**TEA, "valid_from": "2026-03-02T00:00:00Z"}).body

    refused = api.patch(f"{path}/{made['id']}", {"valid_to": "2026-03-02T00:00:00Z"})
    moved = api.patch(
        f"{path}/{made['id']}", {"valid_from": "2026-02-02T00:00:00Z", "valid_to": "2026-03-02T00:00:00Z"}
    )

    assert (refused.status, refused.fields, moved.status) == (422, ["valid_to"], 200)


def test_an_entry_that_is_older_than_a_rule_can_be_sent_back_changed(api: Api, path: str) -> None:
    made = api.post(path, TEA).body
    ends, begins = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    ScratchpadEntry.objects.update(valid_from=begins, valid_to=ends)

    period = {"valid_from": begins.isoformat(), "valid_to": ends.isoformat()}
    changed = api.patch(f"{path}/{made['id']}", {**period, "content": "Likes green tea"})

    assert (changed.status, changed.body["content"]) == (200, "Likes green tea")


def test_an_unknown_type_is_refused_with_those_the_companion_has(
    api: Api, path: str, companion: Companion
) -> None:
    api.patch(
        f"/companions/{companion.id}/config", {"ingestion": {"types": [{"name": "recipe"}, {"name": "diet"}]}}
    )

    refused = api.post(path, TEA)

    assert (refused.status, refused.fields) == (422, ["type"])
    assert "known: recipe, diet" in refused.body["detail"]
    entry = made(api, path, "Likes soup", type="recipe")
    assert api.patch(f"{path}/{entry['id']}", {"type": "preference"}).fields == ["type"]


def test_what_is_there_already_is_refused_with_the_others_id(api: Api, path: str) -> None:
    first = made(api, path, "Likes tea")
    second = made(api, path, "Likes coffee")

    added = api.post(path, {"content": "likes  TEA.", "type": "other"})
    changed = api.patch(f"{path}/{second['id']}", {"content": "Likes tea!"})

    for refused in (added, changed):
        assert (refused.status, refused.body["type"]) == (409, "urn:rapport:problem:same_as_another")
        assert refused.body["entry"] == first["id"]
    assert made(api, path, "Likes tea", subject="Ana")["id"] != first["id"]
    assert made(api, path, "Likes tea", type="preference")["id"] != first["id"]


def test_a_new_value_of_a_single_valued_key_supersedes_the_old_and_of_another_key_does_not(
    api: Api, path: str
) -> None:
    porto, lisbon = (
        made(api, path, "Lives in Porto", key="city"),
        made(api, path, "Lives in Lisbon", key="city"),
    )
    made(api, path, "Has a dog, Rex", key="pet")
    made(api, path, "Has a cat, Tom", key="pet")

    old = api.get(f"{path}/{porto['id']}").body
    assert (old["state"], old["valid_to"]) == ("superseded", lisbon["effective_at"])
    assert sorted(shown()) == ["Has a cat, Tom", "Has a dog, Rex", "Lives in Lisbon"]


def test_a_key_given_later_supersedes_too_and_one_taken_away_frees_the_place(api: Api, path: str) -> None:
    porto, lisbon = made(api, path, "Lives in Porto", key="city"), made(api, path, "Lives in Lisbon")

    api.patch(f"{path}/{lisbon['id']}", {"key": "city"})
    assert api.get(f"{path}/{porto['id']}").body["state"] == "superseded"

    api.patch(f"{path}/{lisbon['id']}", {"key": None})
    assert api.post(f"{path}/{porto['id']}/restore").body["state"] == "active"
    assert api.get(f"{path}/{lisbon['id']}").body["state"] == "active"


def test_an_old_value_that_is_added_late_does_not_push_out_the_newer_one(api: Api, path: str) -> None:
    lisbon = made(api, path, "Lives in Lisbon", key="city")

    refused = api.post(
        path,
        {"content": "Lives in Porto", "type": "other", "key": "city", "effective_at": "2020-01-01T00:00:00Z"},
    )

    assert (refused.status, refused.body["type"]) == (409, "urn:rapport:problem:conflict")
    assert refused.body["entry"] == lisbon["id"]
    assert shown() == ["Lives in Lisbon"]


def test_an_idempotency_key_makes_one_entry(api: Api, path: str) -> None:
    first = api.post(path, TEA, idempotency_key="one")
    again = api.post(path, TEA, idempotency_key="one")

    assert (first.status, again.status, again.body) == (201, 201, first.body)
    assert api.post(path, {**TEA, "content": "x"}, idempotency_key="one").status == 422
    assert EntryRevision.objects.count() == 1

    api.delete(f"{path}/{first.body['id']}?permanent=true")
    assert api.post(path, TEA, idempotency_key="one").status == 410


def test_a_person_who_adds_by_their_own_token_is_named_in_the_history(
    api: Api, path: str, relationship: Relationship
) -> None:
    token = api.post(f"/relationships/{relationship.id}/tokens", {"scopes": ["write"]}).body["token"]

    entry = made(Api(token), path)

    revision = EntryRevision.objects.get()
    assert (str(revision.entry_id), revision.actor_kind, revision.actor_id) == (
        entry["id"],
        "end_user",
        str(relationship.user_id),
    )


def test_an_entry_that_is_over_already_is_kept_and_not_shown(api: Api, path: str) -> None:
    past = (timezone.now()).isoformat()
    entry = made(api, path, "On holiday", expires_at=past, happens_at="0001-01-02T00:00:00Z")

    assert entry["state"] == "active"
    assert shown() == []
