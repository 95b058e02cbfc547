"""Many entries in one request: all or none, each held against those that are there and those before it."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.entries.adding import add_what_fits
from memory.models import EntryRevision, EntrySource, ScratchpadEntry, SearchText
from relationships.models import Companion, Relationship, Snapshot
from tests.fixtures.api import TESTER, Api

Bodies = list[dict[str, Any]]


@pytest.fixture
def path(relationship: Relationship) -> str:
    return f"/relationships/{relationship.id}/entries/bulk"


def facts(*contents: str, **values: Any) -> Bodies:
    return [{"content": content, "type": "other", **values} for content in contents]


def test_many_are_remembered_shown_and_found_with_as_many_statements_as_one(
    api: Api, path: str, relationship: Relationship
) -> None:
    def statements(entries: Bodies) -> int:
        with CaptureQueriesContext(connection) as asked:
            answer = api.post(path, {"entries": entries})
        assert answer.status == 201, answer
        assert [one["content"] for one in answer.body["items"]] == [one["content"] for one in entries]
        return len(asked)

    statements(
        facts(*(f"She went for a walk in the park with dog {number}" for number in range(9)))
    )  # tells the language
    one = statements(facts("Lives in Porto", key="city"))
    many = statements(facts(*(f"Likes the tea of kind {number}" for number in range(52)), key="tea"))

    assert many <= one
    assert len(Snapshot.objects.get().scratchpad) == 62
    assert SearchText.objects.filter(relationship_id=relationship.id, kind="entry").count() == 62
    revisions = EntryRevision.objects.for_relationship(relationship.id).order_by("seq")
    assert [revision.seq for revision in revisions] == list(range(1, 63))


def test_a_single_value_goes_to_the_last_in_the_list_and_every_step_is_in_the_history(
    api: Api, path: str, companion: Companion
) -> None:
    api.patch(f"/companions/{companion.id}/config", {"ingestion": {"single_valued": ["home"]}})
    moves = ["Lives in Porto", "Lives in Rome", "Lives in Porto"]
    answer = api.post(path, {"entries": facts(*moves, key="home")})

    assert [one["state"] for one in answer.body["items"]] == ["superseded", "superseded", "active"]
    events = EntryRevision.objects.order_by("seq").values_list("event", flat=True)
    assert list(events) == ["add", "supersede", "add", "supersede", "add"]


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ({"content": ""}, "entries.1.content"),
        ({"type": "none_of_yours"}, "entries.1.type"),
        ({"effective_at": "2999-01-01T00:00:00Z"}, "entries.1.effective_at"),
        ({"content": "Likes tea"}, "entries.1"),
        ({"content": "Is there already."}, "entries.1"),
    ],
    ids=[
        "of its own",
        "for the companion",
        "in the future",
        "as another of the list",
        "as one that is there",
    ],
)
def test_one_that_is_refused_is_named_and_none_is_remembered(
    api: Api, path: str, broken: dict[str, Any], field: str
) -> None:
    api.post(path, {"entries": facts("Is there already")})
    likes = facts("Likes tea", "Likes rain", "Likes snow")
    likes[1] |= broken
    answer = api.post(path, {"entries": likes})

    assert (answer.status, answer.fields) == (422, [field]), answer
    assert ScratchpadEntry.objects.count() == EntryRevision.objects.count() == 1


def test_more_than_there_is_room_for_are_refused_together(api: Api, path: str, companion: Companion) -> None:
    api.patch(f"/companions/{companion.id}/config", {"ingestion": {"max_entries": 2}})
    refused = api.post(path, {"entries": facts("One", "Two", "Three")})
    assert refused.status == 409 and "2 of 3 more fit" in refused.body["detail"], refused
    assert api.post(path, {"entries": facts("One", "Two")}).status == 201


def test_the_same_key_and_list_twice_are_remembered_once(api: Api, path: str) -> None:
    sent = {"entries": facts("Likes tea", "Likes rain")}
    first = api.post(path, sent, idempotency_key="k")
    api.post(path, {"entries": facts("Likes snow")})

    assert api.post(path, sent, idempotency_key="k").body == first.body
    assert api.post(path, {"entries": facts("Likes hail")}, idempotency_key="k").status == 422
    api.delete(f"{path.removesuffix('/bulk')}/{first.body['items'][1]['id']}?permanent=true")
    assert api.post(path, sent, idempotency_key="k").status == 410
    assert ScratchpadEntry.objects.count() == 2


def test_what_fits_is_kept_though_others_are_refused(relationship: Relationship) -> None:
    given = [
        ({"content": said, "type": "other"}, "") for said in ("Likes tea", "", "likes TEA", "Likes rain")
    ]
    entries, refused = add_what_fits(
        relationship=relationship, given=given, by=TESTER, source=EntrySource.IMPORT
    )

    assert [entry.content for entry in entries] == ["Likes tea", "Likes rain"]
    assert sorted(refused) == [1, 2]


def test_many_are_deleted_with_as_many_statements_as_one_and_a_deletion_again_changes_nothing(
    api: Api, path: str
) -> None:
    def statements(entries: list[dict[str, Any]], changed: int) -> int:
        with CaptureQueriesContext(connection) as asked:
            answer = api.post(
                f"{path}-delete", {"entries": [entry["id"] for entry in entries], "reason": "moved"}
            )
        assert (answer.status, answer.body) == (200, {"changed": changed}), answer
        return len(asked)

    made = api.post(path, {"entries": facts(*(f"Went out with dog {number}" for number in range(30)))}).body[
        "items"
    ]

    assert statements(made[:1], 1) >= statements(made[1:], 29)
    statements([*made, made[0]], 0)
    assert Snapshot.objects.get().scratchpad == []
    deletions = EntryRevision.objects.filter(event="delete")
    assert set(deletions.values_list("reason", flat=True)) == {"moved"} and deletions.count() == 30


def test_of_deletions_that_are_refused_each_is_named_and_none_is_done(api: Api, path: str) -> None:
    made = api.post(path, {"entries": [*facts("Likes tea"), *facts("Likes rain", read_only=True)]}).body[
        "items"
    ]
    ids = [*(entry["id"] for entry in made), "01890a5d-ac96-774b-bcce-b302099a8057"]
    answer = api.post(f"{path}-delete", {"entries": ids})

    assert (answer.status, answer.fields) == (422, ["entries.1", "entries.2"]), answer
    assert ScratchpadEntry.objects.active().count() == 2
