"""Tags, category and modality of a turn: taken in, carried to what is learnt, and found again by them."""

from typing import Any

import pytest
from django.db import connection

from memory.ingestion.pipeline import drain_relationship
from memory.models import ScratchpadEntry
from relationships.models import Companion, Relationship, Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import add, answer, update
from upkeep.erasure.relationships import erase_relationship
from web.actor import Actor

ACME = {"client": "acme", "matter": "42"}


def hear(api: Api, at: str, text: str, **labels: Any) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": text}], **labels}
    turn: dict[str, Any] = api.post(f"{at}/turns", body).body
    drain_relationship(relationship_id=turn["relationship_id"], worker="test")
    return turn


def found(api: Api, address: str, **body: Any) -> list[str]:
    reply = api.post(address, body) if body else api.get(address)
    return [entry["content"] for entry in reply.body["items"]]


def test_what_is_learnt_carries_what_its_turn_was_labelled_with(
    api: Api, at: str, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Signs on Friday")), answer(add("Likes tea")))

    turn = hear(api, at, "I sign on Friday.", tags=ACME, category="deadline", modality="voice")
    hear(api, at, "I like tea.")

    assert (turn["tags"], turn["category"], turn["modality"]) == (ACME, "deadline", "voice")
    tea, signs = api.get(f"{at}/entries").body["items"]
    assert (signs["tags"], signs["category"], signs["modality"]) == (ACME, "deadline", "voice")
    assert (tea["tags"], tea["category"], tea["modality"]) == ({}, "", "text")


def test_lists_and_searches_filter_by_them(api: Api, at: str, scripted_provider: ScriptedProvider) -> None:
    scripted_provider.answer_with(answer(add("Signs on Friday")), answer(add("Signs nothing on Friday")))
    hear(api, at, "I sign on Friday.", tags=ACME, category="deadline")
    hear(api, at, "I sign nothing.", tags={"client": "other"})

    assert found(api, f"{at}/entries?tag=client=acme&tag=matter=42") == ["Signs on Friday"]
    assert found(api, f"{at}/entries?tag=client=acme&tag=matter=43") == []
    assert found(api, f"{at}/entries?category=deadline") == ["Signs on Friday"]
    search = f"{at}/entries/search"
    assert found(api, search, query="Who signs on Friday?", tags={"client": "acme"}) == ["Signs on Friday"]
    assert found(api, search, query="Who signs on Friday?", category="deadline") == ["Signs on Friday"]
    assert len(found(api, search, query="Who signs on Friday?")) == 2


def test_an_update_adds_the_tags_of_its_turn_to_those_there_are(
    api: Api, at: str, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Signs on Friday")), answer(update(1, "Signs on Monday")))
    hear(api, at, "I sign on Friday.", tags=ACME, category="deadline")

    hear(api, at, "No, on Monday.", tags={"matter": "43", "urgent": "yes"})

    [entry] = api.get(f"{at}/entries").body["items"]
    assert entry["tags"] == {"client": "acme", "matter": "43", "urgent": "yes"}
    assert entry["category"] == "deadline"


@pytest.mark.parametrize(
    ("labels", "field"),
    [
        ({"tags": {f"t{number}": "x" for number in range(13)}}, "tags"),
        ({"tags": {"a b": "x"}}, "tags.a b"),
        ({"tags": {"a": 5}}, "tags.a"),
        ({"category": "Not A Name"}, "category"),
        ({"modality": ""}, "modality"),
    ],
)
def test_labels_that_are_none_are_refused(api: Api, at: str, labels: dict[str, Any], field: str) -> None:
    reply = api.post(f"{at}/turns", {"messages": [{"role": "user", "content": "Hi"}], **labels})

    assert reply.status == 422
    assert reply.fields[0].startswith(field.split(".")[0])
    assert not Turn.objects.exists()


def test_a_person_labels_an_entry_by_hand(api: Api, at: str) -> None:
    body = {"content": "Signs on Friday", "type": "event", "category": "deadline", "modality": "voice"}
    entry = api.post(f"{at}/entries", body).body

    changed = api.patch(f"{at}/entries/{entry['id']}", {"category": "", "modality": "image"}).body

    assert (entry["category"], entry["modality"]) == ("deadline", "voice")
    assert (changed["category"], changed["modality"]) == ("", "image")


def test_they_survive_export_and_import_and_are_gone_with_the_person(
    api: Api, at: str, relationship: Relationship, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(answer(add("Signs on Friday")))
    hear(api, at, "I sign.", tags=ACME, category="deadline", modality="voice")
    exported = api.get(f"{at}/export").body
    erase_relationship(
        project_id=relationship.project_id, relationship_id=relationship.id, by=Actor.policy("test")
    )
    assert not Turn.objects.exists() and not ScratchpadEntry.objects.exists()

    pair = api.post("/relationships", {"companion": companion.slug, "user": "anew"}).body
    assert api.post(f"/relationships/{pair['id']}/import", exported).status < 300

    [entry] = api.get(f"/relationships/{pair['id']}/entries?tag=client=acme&category=deadline").body["items"]
    assert (entry["content"], entry["modality"]) == ("Signs on Friday", "voice")
    [turn] = api.get(f"/relationships/{pair['id']}/turns").body["items"]
    assert (turn["tags"], turn["category"], turn["modality"]) == (ACME, "deadline", "voice")


@pytest.mark.django_db
def test_a_list_by_tag_is_served_by_an_index() -> None:
    """Over many entries of many people; a sequential scan would read them all."""
    query = ScratchpadEntry.objects.filter(tags__contains={"client": "acme"}).exclude(tags={})

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        assert "entry_tagged" in query.explain()
