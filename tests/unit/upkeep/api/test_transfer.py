"""Export and import over REST."""

from typing import Any

from pytest_django.fixtures import Settings

from memory.models import ScratchpadEntry
from relationships.models import Relationship
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.people import meet

EMPTY = {"format": "rapport.relationship", "version": 1}


def test_a_second_import_is_refused(api: Api, relationship: Relationship) -> None:
    path = f"/relationships/{relationship.id}/import"
    document = {**EMPTY, "entries": [{"type": "other", "content": "Has a cat"}]}
    taken = api.post(path, document)
    assert (taken.status, taken.body) == (200, {"imported": {"scratchpad_entry": 1}})

    again = api.post(path, document)

    assert (again.status, again.body["type"]) == (409, "urn:rapport:problem:not_empty")
    assert ScratchpadEntry.objects.count() == 1


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
    api: Api, relationship: Relationship, settings: Settings
) -> None:
    another = meet(relationship.companion)
    deep: Any = "ground"
    for _ in range(settings.MAX_JSON_DEPTH):
        deep = {"below": deep}
    assert api.put(f"/relationships/{relationship.id}/profile", deep).status == 200

    assert (
        api.post(
            f"/relationships/{another.id}/import", api.get(f"/relationships/{relationship.id}/export").body
        ).status
        == 200
    )
    assert api.get(f"/relationships/{another.id}/profile").body == deep
