import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from admin_ui.words import counts_in_words
from memory.ingestion.replays import request_replay
from memory.models import HeldDeletion
from memory.retrieval.index.embed import embed_owed
from relationships.models import Companion, EndUser, Relationship
from relationships.services.profiles import replace_profile
from relationships.services.relationships import get_or_create_relationship
from relationships.services.sessions import patch_session
from relationships.services.turns import NewMessage
from tests.fakes import ScriptedProvider
from tests.fixtures.index import configure
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import PERSON, Conversation, add, answer
from upkeep.erasure.relationships import erase_user


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/data/"


def test_everything_can_be_taken_along(viewer: Client, page: str, conversation: Conversation) -> None:
    conversation.remember("Has a dog")

    answer = cast(StreamingHttpResponse, viewer.get(page.replace("data/", "export/")))

    document = json.loads(b"".join(cast(Iterable[bytes], answer.streaming_content)))
    assert [entry["content"] for entry in document["entries"]] == ["Has a dog"]


@pytest.mark.parametrize("what", ["relationship", "person"])
def test_a_mistyped_name_erases_nothing_and_forgets_nothing_of_what_was_asked(
    owner: Client, page: str, what: str, relationship: Relationship
) -> None:
    answer = owner.post(page, {"what": what, "confirm": "maya?"})

    again = squeezed(answer)
    assert answer.status_code == 422 and "The name doesn't match." in again
    assert Relationship.objects.filter(id=relationship.id).exists()
    assert re.findall(r'value="(\w+)" checked', again) == [what]
    assert re.findall(r'value="(\w+)" checked', squeezed(owner.get(page))) == ["relationship"]


def test_what_to_erase_has_to_be_said(owner: Client, page: str, relationship: Relationship) -> None:
    """A form that says nothing, or nothing we know, erases neither the one nor the other."""
    for said in ({}, {"what": "everything"}):
        assert owner.post(page, {**said, "confirm": "Maya"}).status_code == 422

    assert Relationship.objects.filter(id=relationship.id).exists()


def test_all_that_goes_is_counted_before(
    owner: Client,
    page: str,
    relationship: Relationship,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    _fill(relationship, conversation, scripted_provider)
    shown = {name: _counted(owner.get(page), name) for name in ("relationship", "person")}

    erased = erase_user(project_id=relationship.project_id, user_id=relationship.user_id, by=PERSON)

    assert shown["person"] == _in_words(erased)
    assert shown["relationship"] == shown["person"] - {"1 person"}
    assert len(shown["person"]) >= 12


def test_a_person_is_counted_with_every_companion(
    owner: Client, page: str, relationship: Relationship, conversation: Conversation
) -> None:
    conversation.remember("Has a dog", "Has a cat")
    other = Companion.objects.create(project=relationship.project, slug="other", name="Other")
    beside, _ = get_or_create_relationship(
        project_id=relationship.project_id, companion="other", user="maya", by=PERSON
    )
    assert beside.companion_id == other.id
    Conversation(beside).remember("Has a horse")

    answer = owner.get(page)

    assert {"1 relationship", "2 entries"} <= _counted(answer, "relationship")
    assert {"2 relationships", "3 entries", "1 person"} <= _counted(answer, "person")


def _fill(relationship: Relationship, conversation: Conversation, provider: ScriptedProvider) -> None:
    """Something in every table that a relationship is likely to have rows in."""
    configure(relationship, embedder="offline", embed_messages=True)
    provider.answer_with(answer(add("Has a dog")))
    turn = conversation.hear("I have a dog.")
    embed_owed(relationship_id=relationship.id)
    replace_profile(relationship=relationship, data={"name": "Maya"}, by=PERSON)
    patch_session(relationship=relationship, session="current", patch={"mood": "good"}, idle_minutes=60)
    owned = {"relationship": relationship, "project_id": relationship.project_id}
    HeldDeletion.objects.create(**owned, turn_id=turn.id)
    request_replay(
        relationship=relationship, template="Keep it.", messages=[NewMessage("user", "Hello")], by=PERSON
    )


def _counted(answer: Any, what: str) -> set[str]:
    """What the page counts under one of the choices."""
    found = re.search(rf'id="counts-{what}">([^<]*)<', answer.content.decode())
    assert found is not None
    return {" ".join(part.split()) for part in found[1].removesuffix(".").split(",")}


def _in_words(counts: Mapping[str, int]) -> set[str]:
    return set(counts_in_words(counts))


def test_an_owner_erases_a_relationship_and_the_person_stays(
    owner: Client, page: str, relationship: Relationship
) -> None:
    owner.post(page, {"what": "relationship", "confirm": "Maya"})

    assert not Relationship.objects.filter(id=relationship.id).exists()
    assert EndUser.objects.filter(id=relationship.user_id).exists()


@pytest.mark.parametrize(
    ("name", "typed", "erased"),
    [
        ("\u202eAna\u200b  Mari\u0301a", "Ana Mar\u00eda", True),
        ("\U0001f469\u200d\U0001f467", "\U0001f469\u200d\U0001f467", True),
        (" ", "", False),
        ("\u200b ", "maya", True),
    ],
    ids=["signs that nobody types", "emoji", "nothing to type", "shown by ID"],
)
def test_the_name_is_asked_for_as_somebody_can_type_it(
    owner: Client, page: str, relationship: Relationship, name: str, typed: str, erased: bool
) -> None:
    EndUser.objects.filter(id=relationship.user_id).update(display_name=name)

    owner.post(page, {"what": "relationship", "confirm": typed})

    assert Relationship.objects.filter(id=relationship.id).exists() is not erased
