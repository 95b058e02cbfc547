"""What people change, delete, erase and bring back; and what happens when two do it at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import AuditEvent, Message, Relationship, Snapshot
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.turns import Conversation, add, answer


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/entries"


@pytest.fixture
def tea(api: Api, path: str) -> str:
    """The address of an entry."""
    body = {
        "content": "Likes tea",
        "type": "preference",
        "tags": {"area": "food", "mood": "calm"},
        "metadata": {"crm": {"id": 7, "stage": "new"}},
    }
    return f"{path}/{api.post(path, body).body['id']}"


def events(relationship: Relationship) -> list[str]:
    rows = EntryRevision.objects.for_relationship(relationship.id).order_by("seq")
    return list(rows.values_list("event", flat=True))


def code(answer: ApiAnswer) -> tuple[int, str]:
    return answer.status, answer.body["type"].rpartition(":")[2]


def test_only_what_is_sent_is_changed(api: Api, tea: str) -> None:
    before = api.get(tea).body

    changed = api.patch(tea, {"importance": 0.9, "pinned": True})

    assert (changed.status, changed.headers["ETag"]) == (200, '"2"')
    assert changed.body == {**before, "importance": 0.9, "pinned": True, "version": 2}


def test_the_same_again_is_no_change(api: Api, tea: str, relationship: Relationship) -> None:
    before = api.get(tea).body

    assert api.patch(tea, {"content": "Likes tea", "tags": {"area": "food"}, "reason": "?"}).body == before
    assert api.patch(tea, {}).body == before
    assert events(relationship) == ["add"]


def test_tags_and_metadata_are_merged_and_null_takes_a_part_away(api: Api, tea: str) -> None:
    changed = api.patch(
        tea,
        {
            "tags": {"mood": None, "from": "Ana"},
            "metadata": {"crm": {"stage": None, "owner": "bo"}, "seen": True},
        },
    )

    assert changed.body["tags"] == {"area": "food", "from": "Ana"}
    assert changed.body["metadata"] == {"crm": {"id": 7, "owner": "bo"}, "seen": True}


def test_a_tag_can_take_anothers_place_among_the_twelve_and_none_be_the_thirteenth(
    api: Api, tea: str
) -> None:
    ten = {f"t{number}": "x" for number in range(10)}
    assert api.patch(tea, {"tags": ten}).status == 200

    over = api.patch(tea, {"tags": {"one": "more"}})
    swapped = api.patch(tea, {"tags": {"one": "more", "t0": None}})

    assert (over.status, over.fields) == (422, ["tags"])
    assert "an entry may have 12" in over.body["detail"]
    assert len(swapped.body["tags"]) == 12


def test_metadata_can_not_grow_past_its_limit_piece_by_piece(api: Api, tea: str) -> None:
    answers = [api.patch(tea, {"metadata": {f"part{number}": "x" * 6_000}}) for number in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 422]
    assert answers[-1].fields == ["metadata"]


def test_null_empties_what_may_be_empty_and_is_refused_elsewhere(api: Api, tea: str) -> None:
    api.patch(
        tea, {"key": "drink", "happens_at": "2026-03-02T09:00:00Z", "expires_at": "2027-01-01T00:00:00Z"}
    )

    emptied = api.patch(tea, {"key": None, "happens_at": None, "expires_at": None})
    refused = api.patch(tea, dict.fromkeys(("content", "type", "subject", "tier", "weight", "tags")))

    assert [emptied.body[name] for name in ("key", "happens_at", "expires_at")] == [None, None, None]
    assert (refused.status, sorted(refused.fields)) == (
        422,
        ["content", "subject", "tags", "tier", "type", "weight"],
    )


@pytest.mark.parametrize(
    "field", ["state", "version", "effective_at", "source", "id", "colour", "single_valued"]
)
def test_what_is_not_for_people_to_set_is_no_field(api: Api, tea: str, field: str) -> None:
    assert api.patch(tea, {field: "x"}).fields == [field]


def test_a_change_that_rests_on_an_older_version_is_412(
    api: Api, tea: str, relationship: Relationship
) -> None:
    assert api.patch(tea, {"content": "Likes green tea"}, if_match='"1"').status == 200

    for refused in (
        api.patch(tea, {"content": "Likes black tea"}, if_match='"1"'),
        api.delete(tea, if_match='"1"'),
        api.delete(f"{tea}?permanent=true", if_match='"1"'),
        api.post(f"{tea}/restore", if_match='"1"'),
    ):
        assert code(refused) == (412, "stale_version")
        assert refused.body["current_version"] == 2
    assert api.get(tea).body["content"] == "Likes green tea"
    assert api.patch(tea, {"content": "Likes black tea"}, if_match="*").status == 200
    assert api.delete(f"{tea}?permanent=true", if_match='"3"').status == 200


def test_a_deleted_entry_is_shown_nowhere_and_comes_back_as_it_was(
    api: Api, tea: str, relationship: Relationship
) -> None:
    before = api.get(tea).body

    deleted = api.delete(tea)
    assert (deleted.status, deleted.body["state"], deleted.headers["ETag"]) == (200, "deleted", '"2"')
    assert Snapshot.objects.get().scratchpad == []
    assert api.delete(tea).body == deleted.body

    restored = api.post(f"{tea}/restore", {"reason": "it was a slip"})
    assert restored.body == {**before, "version": 3}
    assert len(Snapshot.objects.get().scratchpad) == 1
    assert events(relationship) == ["add", "delete", "restore"]
    assert EntryRevision.objects.latest("seq").reason == "it was a slip"


def test_what_is_not_active_is_changed_by_nobody_and_what_is_active_is_not_restored(
    api: Api, tea: str
) -> None:
    assert code(api.post(f"{tea}/restore")) == (409, "entry_not_active")
    api.delete(tea)

    refused = api.patch(tea, {"content": "Likes rain"})

    assert code(refused) == (409, "entry_not_active")
    assert "restore it first" in refused.body["detail"]


def test_an_entry_does_not_come_back_beside_its_double(api: Api, path: str, tea: str) -> None:
    api.delete(tea)
    double = api.post(path, {"content": "likes tea", "type": "preference"}).body

    refused = api.post(f"{tea}/restore")

    assert code(refused) == (409, "same_as_another")
    assert refused.body["entry"] == double["id"]


def test_a_read_only_entry_is_changed_only_together_with_its_mark(api: Api, path: str, tea: str) -> None:
    api.patch(tea, {"read_only": True, "key": "city"})

    for refused in (
        api.patch(tea, {"content": "Likes rain"}),
        api.delete(tea),
        api.post(path, {"content": "Lives in Porto", "type": "other", "key": "city"}),
    ):
        assert code(refused) == (409, "read_only")
    assert api.patch(tea, {"content": "Likes rain", "read_only": False}).body["content"] == "Likes rain"


def test_a_restored_value_takes_its_key_back_from_today_on(
    api: Api, path: str, relationship: Relationship
) -> None:
    porto, lisbon = (
        api.post(path, {"content": content, "type": "identity", "key": "city", "effective_at": at}).body
        for content, at in (
            ("Lives in Porto", "2024-01-01T00:00:00Z"),
            ("Lives in Lisbon", "2025-01-01T00:00:00Z"),
        )
    )
    assert api.get(f"{path}/{porto['id']}").body["valid_to"] == "2025-01-01T00:00:00Z"

    restored = api.post(f"{path}/{porto['id']}/restore").body

    assert (restored["state"], restored["valid_to"]) == ("active", None)
    stepped_back = api.get(f"{path}/{lisbon['id']}").body
    assert stepped_back["state"] == "superseded"
    assert stepped_back["valid_to"] > "2025-01-01T00:00:00Z"


def test_erasing_takes_every_word_and_leaves_what_happened(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a heron tattoo")))
    turn = conversation.hear("My tattoo is a heron.")
    address = f"{path}/{conversation.entries[0].id}"

    assert (api.delete(f"{address}?permanent=true").status, ScratchpadEntry.objects.count()) == (200, 0)

    for gone in (
        api.get(address),
        api.patch(address, {"pinned": True}),
        api.delete(address),
        api.post(f"{address}/restore"),
    ):
        assert code(gone) == (410, "gone")
    history = api.get(f"{address}/history").body["items"]
    assert [(item["event"], item["before"], item["after"]) for item in history] == [
        ("redact", None, None),
        ("add", None, None),
    ]
    trace = api.get(f"/relationships/{conversation.relationship.id}/turns/{turn.id}")
    assert "heron" not in trace.raw.decode()
    assert [(m["content"], m["erased_at"] is None) for m in trace.body["messages"]] == [("", False)]
    assert AuditEvent.objects.filter(action__contains="erase").exists()


def test_erasing_can_leave_the_conversation_as_it_was(
    api: Api, path: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Has a heron tattoo")))
    conversation.hear("My tattoo is a heron.")

    api.delete(f"{path}/{conversation.entries[0].id}?permanent=true&messages=keep")

    assert Message.objects.get().content == "My tattoo is a heron."


@pytest.mark.parametrize("query", ["permanent=perhaps", "permanent=", "messages=burn", "forever=true"])
def test_a_deletion_that_is_not_understood_deletes_nothing(api: Api, tea: str, query: str) -> None:
    assert api.delete(f"{tea}?{query}").fields == [query.split("=")[0]]
    assert api.get(tea).body["state"] == "active"


@pytest.mark.django_db(transaction=True)
def test_of_eight_people_who_change_one_version_one_wins(api: Api, tea: str) -> None:
    def change(number: int) -> ApiAnswer:
        try:
            return Api(api.key).patch(tea, {"content": f"Likes tea {number}"}, if_match='"1"')
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(change, range(8)))

    assert sorted(answer.status for answer in answers) == [200] + [412] * 7
    [won] = [answer.body["content"] for answer in answers if answer.status == 200]
    assert api.get(tea).body["content"] == won
    assert EntryRevision.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_eight_people_who_add_the_same_one_is_first_and_the_others_are_told(api: Api, path: str) -> None:
    def remember(_: int) -> Any:
        try:
            return Api(api.key).post(path, {"content": "Likes tea", "type": "other"}).status
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(remember, range(8)))

    assert sorted(statuses) == [201] + [409] * 7
    assert ScratchpadEntry.objects.count() == 1


@pytest.mark.parametrize(
    "said", ["2026", "2026-03", "2026-03-14", "2026-03-14T15:00", "2026-03-14/2026-03-20"]
)
def test_when_something_happens_is_answered_as_exactly_as_it_was_sent(api: Api, path: str, said: str) -> None:
    made = api.post(path, {"content": "A trip", "type": "event", "happens_at": said})
    address = f"{path}/{made.body['id']}"

    kept = api.patch(address, {"content": "A long trip"})
    emptied = api.patch(address, {"happens_at": None})

    assert [answer.body["happens_at"] for answer in (made, kept, emptied)] == [said, said, None]
