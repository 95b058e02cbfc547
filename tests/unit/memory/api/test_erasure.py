"""DELETE over REST: who may, what is answered, and what a second one gets."""

import json

import pytest
from django.test import Client

from relationships.models import Companion, EndUser, Project, Relationship
from tests.fixtures.api import Api, new_key
from tests.fixtures.turns import Conversation


def path_of(level: str, relationship: Relationship) -> str:
    return {
        "relationship": f"/relationships/{relationship.id}",
        "user": f"/users/{relationship.user_id}",
        "companion": f"/companions/{relationship.companion_id}",
    }[level]


LEVELS = ["relationship", "user", "companion"]


@pytest.mark.parametrize("level", LEVELS)
def test_erasing_answers_with_the_rows_that_are_gone(
    level: str, api: Api, conversation: Conversation, relationship: Relationship
) -> None:
    conversation.say("I like tea.")
    path = path_of(level, relationship)

    answer = api.delete(path)

    assert answer.status == 200
    assert answer.body["erased"]["message"] == answer.body["erased"]["relationship"] == 1
    assert not Relationship.objects.exists()
    assert api.get(path).status == 404
    assert api.delete(path).status == 404


@pytest.mark.parametrize("level", LEVELS)
def test_another_project_gets_404_and_erases_nothing(
    level: str, other_project_api: Api, relationship: Relationship
) -> None:
    assert other_project_api.delete(path_of(level, relationship)).status == 404
    assert Relationship.objects.filter(id=relationship.id).exists()


@pytest.mark.parametrize(
    ("level", "scope", "status"),
    [
        ("relationship", "read", 403),
        ("relationship", "write", 200),
        ("user", "read", 403),
        ("user", "write", 200),
        ("companion", "write", 403),
        ("companion", "admin", 200),
    ],
)
def test_each_level_has_its_scope(
    level: str, scope: str, status: int, project: Project, relationship: Relationship
) -> None:
    answer = Api(new_key(project, scope)).delete(path_of(level, relationship))

    assert answer.status == status
    assert Relationship.objects.filter(id=relationship.id).exists() is (status == 403)


def test_a_relationship_token_can_not_erase_the_relationship(api: Api, relationship: Relationship) -> None:
    made = api.post(f"/relationships/{relationship.id}/tokens", {"scopes": ["write"]})
    token = Api(made.body["token"])

    assert token.delete(f"/relationships/{relationship.id}").status == 403


def test_reading_and_changing_are_as_before(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}"

    assert api.get(path).body["user"]["external_id"] == "maya"
    assert api.patch(path, {"timezone": "Asia/Tokyo"}).body["timezone"] == "Asia/Tokyo"
    assert api.patch(f"/users/{relationship.user_id}", {"display_name": "M."}).status == 200
    assert api.patch(f"/companions/{relationship.companion_id}", {"name": "A."}).status == 200
    assert api.patch("/project", {"name": "Renamed"}).body["name"] == "Renamed"


def test_a_project_goes_when_its_name_is_said(api: Api, relationship: Relationship) -> None:
    answer = api.send("DELETE", "/project", {"confirm": "Test project"})

    assert answer.status == 200
    assert answer.body["erased"]["project"] == 1
    assert not (Project.objects.exists() or Companion.objects.exists() or EndUser.objects.exists())
    assert api.get("/project").status == 401


@pytest.mark.parametrize(
    ("body", "status", "fields"),
    [
        ({"confirm": "test project"}, 422, ["confirm"]),
        ({}, 422, ["confirm"]),
        ({"confirm": "Test project", "really": True}, 422, ["really"]),
        (b"", 400, []),
    ],
    ids=["another-name", "no-name", "more", "no-body"],
)
def test_a_project_stays_when_it_is_not(
    body: object, status: int, fields: list[str], api: Api, project: Project
) -> None:
    answer = api.send("DELETE", "/project", body)

    assert (answer.status, answer.fields) == (status, fields)
    assert Project.objects.filter(id=project.id).exists()


def test_only_an_admin_key_erases_the_project(project: Project) -> None:
    answer = Api(new_key(project, "write")).send("DELETE", "/project", {"confirm": project.name})

    assert answer.status == 403


def test_an_entry_is_erased_for_good_by_its_own_address(
    api: Api, conversation: Conversation, relationship: Relationship
) -> None:
    entries = f"/relationships/{relationship.id}/entries"
    entry = api.post(entries, {"content": "Has a tattoo of a heron", "type": "other"}).body

    assert api.delete(f"{entries}/{entry['id']}?permanent=true").status == 204
    assert api.get(f"{entries}/{entry['id']}").status == 410
    history = api.get(f"{entries}/{entry['id']}/history")
    assert [revision["event"] for revision in history.body["items"]] == ["redact", "add"]
    assert "heron" not in history.raw.decode()


def test_the_schema_has_one_address_with_all_its_verbs(db: None) -> None:
    schema = json.loads(Client().get("/v1/schema?format=json").content)

    verbs = {path: set(schema["paths"][path]) & {"get", "patch", "delete"} for path in schema["paths"]}
    for path in (
        "/v1/project",
        "/v1/companions/{companion_id}",
        "/v1/users/{user_id}",
        "/v1/relationships/{relationship_id}",
    ):
        assert verbs[path] == {"get", "patch", "delete"}, path
