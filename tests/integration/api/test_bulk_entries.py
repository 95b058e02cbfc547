"""Many entries in one request: all or none, each held against those that are there and those before it."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.entries.adding import add_what_fits
from memory.models import EntryRevision, EntrySource, ScratchpadEntry, SearchText
from relationships.models import Companion, Relationship, Snapshot
from tests.fixtures.api import TESTER, Api, ApiAnswer

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


def test_many_are_changed_with_hardly_more_statements_than_one_and_what_stays_the_same_is_no_change(
    api: Api, path: str
) -> None:
    said = facts(*(f"Likes {number} sorts of tea" for number in range(30)), metadata={"a": 1, "b": 2})
    made = api.post(path, {"entries": said}).body["items"]

    def change(entries: Bodies) -> tuple[Bodies, int]:
        with CaptureQueriesContext(connection) as asked:
            answer = api.post(f"{path}-change", {"entries": entries})
        assert answer.status == 200, answer
        return answer.body["items"], len(asked)

    (first,), one = change([{"id": made[0]["id"], "metadata": {"b": None}, "reason": "asked"}])
    assert (first["metadata"], first["version"]) == ({"a": 1}, 2)
    rest, many = change([{"id": entry["id"], "weight": 2} for entry in made[1:]])
    assert {entry["weight"] for entry in rest} == {2} and many <= one
    passed_on = [
        {"id": made[0]["id"], "content": "Likes coffee"},
        {"id": made[1]["id"], "content": made[0]["content"], "version": 2},
        {"id": made[2]["id"], "weight": 2},
    ]
    assert [entry["version"] for entry in change(passed_on)[0]] == [3, 3, 2]


def test_of_changes_that_are_refused_each_is_named_and_none_is_done(api: Api, path: str) -> None:
    said = [*facts("Likes tea", "Likes rain", "Likes snow"), *facts("Likes hail", read_only=True)]
    tea, rain, snow, hail = api.post(path, {"entries": said}).body["items"]

    def refused(*entries: dict[str, Any]) -> list[str]:
        answer = api.post(f"{path}-change", {"entries": [{"id": tea["id"], "weight": 2}, *entries]})
        assert answer.status == 422, answer
        return list(answer.fields)

    nobody = "01890a5d-ac96-774b-bcce-b302099a8057"
    assert refused({"id": rain["id"], "content": ""}) == ["entries.1.content"]
    assert refused({"id": rain["id"], "type": "none_of_yours"}, {"id": nobody}) == [
        "entries.1.type",
        "entries.2",
    ]
    assert refused({"id": rain["id"], "content": "likes SNOW"}) == ["entries.1"]
    assert refused({"id": rain["id"], "content": "A"}, {"id": snow["id"], "content": "a"}) == ["entries.2"]
    assert refused({"id": rain["id"], "content": "Likes tea"}) == ["entries.1"]
    assert refused({"id": rain["id"], "version": 7}, {"id": hail["id"], "weight": 2}) == [
        "entries.1",
        "entries.2",
    ]
    assert refused({"id": tea["id"], "weight": 3}) == ["entries.1"]
    swap = {"id": rain["id"], "content": "Likes snow"}, {"id": snow["id"], "content": "Likes rain"}
    assert refused(*swap)[0] == "entries.1"
    assert EntryRevision.objects.count() == 4


def test_a_single_value_goes_to_the_last_that_is_changed(api: Api, path: str, companion: Companion) -> None:
    api.patch(f"/companions/{companion.id}/config", {"ingestion": {"single_valued": ["home"]}})
    said = [*facts("Lives in Porto", key="home"), *facts("Lives in Rome", "Lives in Faro")]
    porto, rome, faro = api.post(path, {"entries": said}).body["items"]

    change = [{"id": porto["id"], "weight": 2}, *({"id": one["id"], "key": "home"} for one in (rome, faro))]
    answer = api.post(f"{path}-change", {"entries": change})

    assert [one["state"] for one in answer.body["items"]] == ["superseded", "superseded", "active"], answer
    assert [one["version"] for one in answer.body["items"]] == [3, 3, 2]
    change = [{"id": faro["id"], "key": None}, {"id": faro["id"], "weight": 3}]
    assert api.post(f"{path}-change", {"entries": change}).fields == ["entries.1"]


def test_a_key_goes_over_from_whoever_has_it_at_that_place(api: Api, path: str, companion: Companion) -> None:
    """Also where it was no single value when the entries were written."""
    said = [*facts("Lives in Porto", "Lives in Rome", key="home"), *facts("Lives in Faro")]
    porto, rome, faro = (entry["id"] for entry in api.post(path, {"entries": said}).body["items"])
    api.patch(f"/companions/{companion.id}/config", {"ingestion": {"single_valued": ["home"]}})

    def change(*keys: tuple[str, str | None]) -> ApiAnswer:
        return api.post(f"{path}-change", {"entries": [{"id": one, "key": key} for one, key in keys]})

    assert api.patch(f"{path[:-5]}/{porto}", {"key": "home"}).status == 200
    assert change((rome, "home")).status == 200
    assert {str(one.id) for one in ScratchpadEntry.objects.active()} == {rome, faro}
    assert change((faro, "home"), (rome, None)).fields == ["entries.1"]
    given_over = change((rome, None), (faro, "home")).body["items"]
    assert [(one["state"], one["key"]) for one in given_over] == [("active", None), ("active", "home")]
