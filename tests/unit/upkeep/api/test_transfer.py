"""Export and import over REST."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from memory.models import ScratchpadEntry
from relationships.models import Companion, EndUser, Project, Relationship
from relationships.services.relationships import get_or_create_relationship
from tests.fixtures.api import TESTER, Api, ApiAnswer

EMPTY = {"format": "rapport.relationship", "version": 1}


def export(api: Api, relationship: Relationship, query: str = "") -> Any:
    path = f"/v1/relationships/{relationship.id}/export{query}"
    answer = Client().get(path, headers={"Authorization": f"Bearer {api.key}"})
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json"
    content: Iterator[bytes] = answer.streaming_content  # type: ignore[attr-defined]
    return json.loads(b"".join(content))


@pytest.fixture
def another(project: Project, companion: Companion) -> Relationship:
    """A second relationship of the project, empty."""
    return get_or_create_relationship(project_id=project.id, companion=companion.slug, user="noa", by=TESTER)[
        0
    ]


def test_a_second_import_is_refused(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}/import"
    document = {**EMPTY, "entries": [{"type": "other", "content": "Has a cat"}]}
    taken = api.post(path, document)
    assert (taken.status, taken.body) == (200, {"imported": {"scratchpad_entry": 1}})

    again = api.post(path, document)

    assert (again.status, again.body["type"]) == (409, "urn:rapport:problem:not_empty")
    assert ScratchpadEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("document", "status", "fields"),
    [
        ({}, 422, ["format", "version"]),
        ({**EMPTY, "format": "another"}, 422, ["format"]),
        ({**EMPTY, "version": 2}, 422, ["version"]),
        ({**EMPTY, "entrys": []}, 422, ["entrys"]),
        ({**EMPTY, "entries": [{"type": "other"}]}, 422, ["entries.0.content"]),
        ({**EMPTY, "entries": [{"type": "other", "content": "x", "single_valued": True}]}, 422, ["entries.0.single_valued"]),
        ({**EMPTY, "relationship": {"timezone": "Mars/Olympus"}}, 422, ["relationship.timezone"]),
        ([], 422, ["body"]),
        (b"{", 400, []),
    ],
)  # fmt: skip
def test_what_is_no_archive_is_refused_by_its_field(
    document: object, status: int, fields: list[str], api: Api, relationship: Relationship
) -> None:
    answer = api.post(f"/relationships/{relationship.id}/import", document)

    assert (answer.status, answer.fields) == (status, fields), answer
    assert not ScratchpadEntry.objects.exists()


def test_an_archive_may_be_longer_than_other_bodies_and_not_without_end(
    api: Api, relationship: Relationship, settings: Settings
) -> None:
    settings.MAX_BODY_BYTES, settings.MAX_IMPORT_BYTES = 1024, 4096
    path = f"/relationships/{relationship.id}/import"

    def answered(length: int) -> ApiAnswer:
        return api.post(path, {**EMPTY, "user": {"note": "x" * length}})

    assert answered(5000).status == 413
    assert answered(2000).status == 200


def test_a_profile_as_deep_as_may_be_comes_back(
    api: Api, relationship: Relationship, another: Relationship, settings: Settings
) -> None:
    deep: Any = "ground"
    for _ in range(settings.MAX_JSON_DEPTH):
        deep = {"below": deep}
    assert api.put(f"/relationships/{relationship.id}/profile", deep).status == 200

    assert api.post(f"/relationships/{another.id}/import", export(api, relationship)).status == 200
    assert api.get(f"/relationships/{another.id}/profile").body == deep


def test_a_person_who_moves_to_another_installation_is_who_they_are_there(
    api: Api, relationship: Relationship, another: Relationship
) -> None:
    """`user` and `companion` say where a document comes from; an import leaves its own as they are."""
    api.post(f"/relationships/{another.id}/import", export(api, relationship))

    user = EndUser.objects.get(id=another.user_id)
    assert (user.external_id, user.display_name) == ("noa", "")
