import json
from collections.abc import Iterable
from typing import cast

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from relationships.models import EndUser, Relationship, Role
from tests.fixtures.operators import Browser
from tests.fixtures.turns import Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/data/"


@pytest.fixture
def owner(signed_in: Browser) -> Client:
    return signed_in(Role.OWNER)


def test_everything_can_be_taken_along(viewer: Client, page: str, conversation: Conversation) -> None:
    conversation.remember("Has a dog")

    answer = cast(StreamingHttpResponse, viewer.get(page.replace("data/", "export/")))

    document = json.loads(b"".join(cast(Iterable[bytes], answer.streaming_content)))
    assert [entry["content"] for entry in document["entries"]] == ["Has a dog"]


def test_nothing_is_erased_without_the_persons_name(
    owner: Client, page: str, relationship: Relationship
) -> None:
    answer = owner.post(page, {"what": "relationship", "confirm": "maya?"})

    assert answer.status_code == 422
    assert "That is not the name." in answer.content.decode()
    assert Relationship.objects.filter(id=relationship.id).exists()


def test_an_owner_erases_a_relationship_and_the_person_stays(
    owner: Client, page: str, relationship: Relationship
) -> None:
    owner.post(page, {"what": "relationship", "confirm": "Maya"})

    assert not Relationship.objects.filter(id=relationship.id).exists()
    assert EndUser.objects.filter(id=relationship.user_id).exists()


def test_an_owner_erases_the_person_everywhere(owner: Client, page: str, relationship: Relationship) -> None:
    owner.post(page, {"what": "person", "confirm": " Maya "})

    assert not EndUser.objects.filter(id=relationship.user_id).exists()


def test_an_editor_may_not_erase(editor: Client, page: str, relationship: Relationship) -> None:
    assert "Erase for good" not in editor.get(page).content.decode()
    assert editor.post(page, {"what": "person", "confirm": "Maya"}).status_code == 403
    assert Relationship.objects.filter(id=relationship.id).exists()
