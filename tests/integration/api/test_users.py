from relationships.models import AuditEvent, EndUser, Relationship
from tests.fixtures.api import Api, add_entry

MAYA = {"external_id": "maya", "display_name": "Maya", "metadata": {"plan": "free", "since": 2024}}


def test_a_user_is_created_and_read_back(api: Api) -> None:
    created = api.post("/users", MAYA)

    assert created.status == 201
    assert created.body["ingestion_paused"] is False
    assert api.get(f"/users/{created.body['id']}").body == created.body


def test_an_external_id_is_taken_once_in_a_project(api: Api, other_project_api: Api) -> None:
    api.post("/users", MAYA)

    assert api.post("/users", MAYA).status == 409
    assert other_project_api.post("/users", MAYA).status == 201
    assert EndUser.objects.count() == 2


def test_a_patch_merges_metadata_and_pauses_ingestion(api: Api) -> None:
    path = f"/users/{api.post('/users', MAYA).body['id']}"

    changed = api.patch(path, {"metadata": {"plan": "paid", "since": None}, "ingestion_paused": True})

    assert changed.body["metadata"] == {"plan": "paid"}
    assert changed.body["ingestion_paused"] is True
    assert changed.body["display_name"] == "Maya"
    assert changed.headers["ETag"] == '"2"'
    assert api.patch(path, {"display_name": ""}, if_match='"1"').status == 412


def test_a_visitor_who_signs_in_keeps_what_is_remembered_under_another_id_that_nobody_has(
    api: Api, at: str, relationship: Relationship
) -> None:
    add_entry(api, at, "Likes tea.")
    path, noor = f"/users/{relationship.user_id}", api.post("/users", {"external_id": "noor"}).body

    taken = api.patch(path, {"external_id": "noor"})
    changed = api.patch(path, {"external_id": "account-7"})
    again = api.post("/relationships", {"companion": "ada", "user": "account-7"})

    assert (taken.status, taken.body["type"].rpartition(":")[2]) == (409, "already_exists")
    assert (changed.status, changed.body["external_id"]) == (200, "account-7")
    assert (again.status, again.body["id"]) == (200, str(relationship.id))
    assert [one["content"] for one in api.get(f"{at}/entries").body["items"]] == ["Likes tea."]
    assert api.get(f"/users/{noor['id']}").body == noor
    assert api.post("/relationships", {"companion": "ada", "user": "maya"}).status == 201, "somebody new"
    assert api.patch(path, {"external_id": "a\nb"}).fields == ["external_id"]


def test_a_user_is_found_by_external_id(api: Api) -> None:
    api.post("/users", MAYA)
    api.post("/users", {"external_id": "noor"})

    found = api.get("/users?external_id=maya")

    assert [user["external_id"] for user in found.body["items"]] == ["maya"]
    assert api.get("/users?external_id=nobody").body == {"items": [], "next_cursor": None}


def test_the_audit_trail_of_a_user_says_which_fields_and_never_what_they_held(api: Api) -> None:
    path = f"/users/{api.post('/users', MAYA).body['id']}"
    api.patch(path, {"display_name": "Maya Oliveira"})

    details = [event.detail for event in AuditEvent.objects.filter(target_kind="user").order_by("id")]

    assert details == [{"fields": [], "version": 1}, {"fields": ["display_name"], "version": 2}]
