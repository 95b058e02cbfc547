import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from behaviours.models import BehaviourRun
from chat.models import KeptContext
from knowledge.documents import add_document
from knowledge.models import DocumentChunk
from knowledge.pipeline import process_document
from memory.entries.access import flush_accesses
from memory.entries.editing import revise_entry
from relationships.models import Companion, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.behaviours import behave
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import PERSON, Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/context/"


def test_the_page_shows_each_layer_and_links_what_it_was_made_of(
    viewer: Client,
    page: str,
    conversation: Conversation,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    entry = conversation.remember("Is allergic to peanuts")[0]

    with django_assert_max_num_queries(12):
        shown = squeezed(viewer.get(f"{page}?message=What+can+I+cook"))

    assert f"/entries/{entry.id}/" in shown
    assert "Whole scratchpad, newest first" in shown
    assert "What can I cook" in shown
    layers, prompt = shown.split('aria-labelledby="prompt"')
    assert 'badge">Profile<' in layers.split("Empty layers:")[1]
    colours = re.findall(r'class="card layer (tone-\d+)"', layers)
    assert colours == re.findall(r'class="piece (tone-\d+)"', prompt)
    assert "- Is allergic to peanuts" in prompt


def test_a_passage_of_a_document_cites_its_page_and_leads_to_it(
    viewer: Client, page: str, companion: Companion
) -> None:
    text = "\n\n".join(
        f"# Part {part}\n\n" + f"Parcel number {part} is paid back. " * 60 for part in range(30)
    )
    ours: dict[str, Any] = {"project_id": companion.project_id, "companion_id": companion.id}
    document, _ = add_document(**ours, name="Refunds.md", content=text.encode(), by=PERSON)
    process_document(document_id=document.id, worker="test")
    chunk = DocumentChunk.objects.filter(content__contains="Parcel number 27 ").order_by("place")[0]
    DocumentChunk.objects.filter(id=chunk.id).update(page_from=3, page_to=4)

    shown = viewer.get(f"{page}?message=What+about+parcel+number+27").content.decode()

    address = f"/admin-ui/companions/{companion.id}/documents/{document.id}/?page={chunk.place // 20 + 1}"
    assert f'{address}#passage-{chunk.place}"' in shown
    assert "Refunds.md, pages 3-4" in shown
    assert f'id="passage-{chunk.place}"' in viewer.get(address).content.decode()


def test_what_nearly_was_shown_stands_beside_what_was(
    viewer: Client, page: str, relationship: Relationship, conversation: Conversation
) -> None:
    config = {"context": {"memory": "retrieved"}, "retrieval": {"top_k": 2}}
    Companion.objects.update(config=config)
    kept = conversation.remember("Cooks rice", "Cooks soup on Sundays", "Cooks for her sister and the dog")

    near = viewer.get(f"{page}scores/?message=What+does+she+cooks+again").content.decode()
    shown = viewer.get(f"{page}?message=What+does+she+cooks+again").content.decode()

    memory = near.split("<h3>Memory</h3>")[1].split("<h3>Earlier messages</h3>")[0]
    missed, found = memory.split("2 retrieved")
    assert missed.count("not retrieved") == missed.count("<progress") == 1
    (left_out,) = [row for row in kept if str(row.id) in missed]
    assert all((str(row.id) in found) != (row == left_out) for row in kept)
    assert all((str(row.id) in shown) != (row == left_out) for row in kept), "the context shows the others"
    assert "Past replies" in viewer.get(f"{page}scores/").content.decode()


def test_a_preview_tells_what_behaviours_would_do_and_fires_none(
    viewer: Client,
    page: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    entry = conversation.remember("Cooks soup on Sundays")[0]
    Companion.objects.update(
        config={"context": {"memory": "retrieved"}, "retrieval": {"record_access": True}}
    )
    behave(
        conversation.relationship,
        cook={"ask": {"prompt": "What to cook?"}, "when": {"keywords": ["cooks"]}, "cooldown_minutes": 5},
        greet={"text": "Greet them by name.", "cooldown_minutes": 5},
        plan={"text": "{{ profile.plan.name }}"},
        silent={"text": "Never.", "when": {"keywords": ["rain"]}},
    )

    for _ in range(2):
        shown = viewer.get(f"{page}?message=What+does+she+cooks+again").content.decode()

        layers, prompt = shown.split('aria-labelledby="prompt"')
        rows = re.findall(r'companion[^>]*/behaviours/" dir="auto">(\w+)</a>(.*?)</li>', layers, re.DOTALL)
        told = {name: " ".join(re.sub(r"<.*?>", "", rest).split()) for name, rest in rows}
        assert told["cook"] == "Behaviour would fire: asks a model for its text"
        assert told["greet"] == "Behaviour would fire: adds its text"
        assert told["plan"].startswith("Behaviour left out: ")
        assert "silent" not in told
        assert "Greet them by name." in prompt
        assert "No behaviour fires in a preview" in layers
    assert scripted_provider.requests == []
    assert not BehaviourRun.objects.exists()
    flush_accesses()
    entry.refresh_from_db()
    assert entry.access_count == 0


@pytest.mark.parametrize(("more", "retrieved"), [(0, 1), (1, 2)])
def test_messages_that_fit_nearly_as_well_are_retrieved_as_a_context_does(
    viewer: Client, page: str, conversation: Conversation, more: int, retrieved: int
) -> None:
    config = {"context": {"order": ["episodes"]}, "retrieval": {"top_messages": 1, "more_messages": more}}
    Companion.objects.update(config=config)
    for said in ("She cooks rice", "She cooks soup", "She cooks peas"):
        conversation.say(said)

    near = viewer.get(f"{page}scores/?message=What+she+cooks+again").content.decode()

    assert f"{retrieved} retrieved" in near.split("<h3>Earlier messages</h3>")[1]


@pytest.mark.parametrize("budget", [None, 400])
def test_what_nearly_was_shown_is_found_without_a_behaviour_or_a_model(
    viewer: Client,
    page: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    budget: int | None,
) -> None:
    conversation.remember("Cooks soup on Sundays", "Cooks rice")
    config = {"context": {"budget": budget, "memory": "retrieved"}, "retrieval": {"reranker": "model"}}
    Companion.objects.update(config=config)
    behave(
        conversation.relationship, cook={"ask": {"prompt": "What to cook?"}, "when": {"keywords": ["cooks"]}}
    )

    near = viewer.get(f"{page}scores/?message=What+does+she+cooks+again").content.decode()

    assert "Cooks soup on Sundays" in near
    assert scripted_provider.requests == []
    assert not BehaviourRun.objects.exists()


def test_a_list_that_a_budget_cuts_is_searched_and_the_page_says_both(
    viewer: Client, page: str, conversation: Conversation
) -> None:
    Companion.objects.update(config={"context": {"budget": 400}})
    conversation.remember(
        "Cooks soup on Sundays", *[f"Found the town {place} rather dull" for place in range(60)]
    )
    conversation.say(*[f"I said of cooking, time {place}, that it is dull" for place in range(20)])

    near = viewer.get(f"{page}scores/?message=What+does+she+cook+again").content.decode()
    shown = viewer.get(f"{page}?message=What+does+she+cook+again").content.decode()

    memory, messages = near.split("<h3>Memory</h3>")[1].split("<h3>Earlier messages</h3>")
    assert "Cooks soup on Sundays" in memory and "whole scratchpad" not in memory
    assert "time 2, that" in messages, "it stands no more among the recent"
    assert "of a budget of 400" in shown
    assert "left out to fit the budget" in shown and "Cooks soup on Sundays" in shown


def test_a_past_reply_shows_its_entries_as_they_were(
    viewer: Client, relationship: Relationship, conversation: Conversation
) -> None:
    (entry,) = conversation.remember("Lives in Porto")
    turn = conversation.say("Where do I live?")
    layer = {"name": "memory", "tokens": 9, "milliseconds": 0.1, "reason": "", "sources": [str(entry.id)]}
    kept = KeptContext.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        turn_id=turn.id,
        assembled_at=timezone.now(),
        total_tokens=21,
        layers=[layer, layer | {"name": "current", "sources": []}, layer | {"name": "core", "sources": []}],
        entries={str(entry.id): entry.version},
        provider="offline",
        milliseconds=1.0,
    )
    revise_entry(
        relationship_id=relationship.id, entry_id=entry.id, values={"content": "Lives in Faro"}, by=PERSON
    )
    address = f"/admin-ui/relationships/{relationship.id}"

    said = viewer.get(f"{address}/conversation/").content.decode()
    shown = viewer.get(f"{address}/contexts/{kept.id}/").content.decode()

    assert f'href="{address}/contexts/{kept.id}/">Context shown<' in said
    assert "Lives in Porto" in shown
    assert "Lives in Faro" not in shown
    assert shown.count("Where do I live?") == 2
    assert "9 tokens that were not kept" in shown


def test_looking_stores_nothing(viewer: Client, page: str, relationship: Relationship) -> None:
    viewer.get(f"{page}?message=Hello&session=nobody%00s")

    relationship.refresh_from_db()
    assert relationship.last_seq == 0
