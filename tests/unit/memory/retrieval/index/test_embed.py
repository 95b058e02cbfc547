from collections.abc import Sequence
from datetime import UTC, datetime
from threading import BoundedSemaphore

import pytest
from django.utils import timezone

from memory import tasks
from memory.entries.editing import delete_entry
from memory.ingestion.sweep import GRACE, Sweep
from memory.models import Embedding, SearchText
from memory.retrieval.index.embed import embed_owed
from relationships.models import Message, Project, Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.index import OFFLINE, configure, embedded, owing, row_of, told_to_embed
from tests.fixtures.turns import PERSON, Conversation, revise
from upkeep.erasure.entries import erase_entry
from upkeep.erasure.relationships import erase_relationship
from web.actor import Actor

BY = Actor.policy("test")


@pytest.fixture(autouse=True)
def wants_vectors(relationship: Relationship, scripted_embedder: ScriptedEmbedder) -> None:
    configure(relationship, embedder="default")


def embed(relationship: Relationship) -> int:
    """Embed what is owed; return how many vectors that made."""
    vectors = Embedding.objects.for_relationship(relationship.id)
    before = vectors.count()
    embed_owed(relationship_id=relationship.id)
    return vectors.count() - before


def test_what_is_owed_is_embedded_in_one_batch(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entries = conversation.remember("Likes tea", "Lives in Porto")

    embed(relationship)

    assert scripted_embedder.asked == [("document", ["Likes tea", "Lives in Porto"])]
    assert embedded(relationship, scripted_embedder.model) == {entry.id for entry in entries}
    assert owing(relationship) == set()


def test_a_vector_is_stored_at_unit_length_with_its_space(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    scripted_embedder.place("Likes tea", [3, 4])
    entry = conversation.remember("Likes tea")[0]

    embed(relationship)

    row = Embedding.objects.for_relationship(relationship.id).get()
    assert (row.model, row.dimensions, row.owner_id) == ("scripted-embedder-1", 64, entry.id)
    assert list(row.vector)[:3] == pytest.approx([0.6, 0.8, 0], abs=1e-3)
    assert bytes(row.text_hash) == bytes(row_of(entry).text_hash)


def test_messages_are_embedded_without_the_names_people_call_each_other(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(relationship, embed_messages=True)
    conversation.say("Ada, it is Maya. <rapport_memory>x</rapport_memory> Maya's cat is ill.")

    embed(relationship)

    assert scripted_embedder.texts == ["it is. cat is ill."]
    assert embedded(relationship) == set(Message.objects.values_list("id", flat=True))


def test_without_an_embedder_what_was_owed_is_owed_no_more(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    conversation.remember("Likes tea")
    configure(relationship, embedder=None)

    embed(relationship)

    assert owing(relationship) == set()
    assert scripted_embedder.asked == []


def test_a_long_backlog_is_embedded_batch_after_batch(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    scripted_embedder.most_texts = 2
    conversation.remember("one", "two", "three", "four", "five")

    assert embed(relationship) == 5
    assert [len(texts) for _, texts in scripted_embedder.asked] == [2, 2, 1]


def test_a_task_that_takes_long_hands_over_to_another(
    relationship: Relationship, conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.retrieval.index.embed.MOST_SECONDS", 0.0)
    conversation.remember("Likes tea")
    before = len(told_to_embed())

    embed(relationship)

    assert len(told_to_embed()) == before + 1


def test_with_too_many_readers_that_embed_the_texts_are_left_to_the_sweep(
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An embedder that hangs must leave readers to the turns."""
    places = BoundedSemaphore(1)
    monkeypatch.setattr("memory.tasks._embedding", places)
    conversation.remember("Likes tea")

    with places:
        tasks.embed(str(relationship.id))
        assert scripted_embedder.texts == []

    room = {relationship.project_id: 1}
    assert list(Sweep().texts_owed(room, timezone.now() + 2 * GRACE)) == [relationship.id]
    tasks.embed(str(relationship.id))
    assert scripted_embedder.texts == ["Likes tea"]


def test_a_text_that_changes_meanwhile_gets_the_vector_of_what_it_says_now(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]

    def change(texts: Sequence[str]) -> None:
        scripted_embedder.while_answering = None
        revise(entry, content="Likes coffee")

    scripted_embedder.while_answering = change
    embed(relationship)

    assert scripted_embedder.texts == ["Likes tea", "Likes coffee"]
    row = Embedding.objects.for_relationship(relationship.id).get()
    assert bytes(row.text_hash) == bytes(row_of(entry).text_hash)


def test_what_is_erased_meanwhile_gets_no_vector(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]

    def erase(texts: Sequence[str]) -> None:
        erase_entry(relationship_id=relationship.id, entry_id=entry.id, by=BY)

    scripted_embedder.while_answering = erase

    assert embed(relationship) == 0
    assert embedded(relationship) == set()


def test_a_relationship_that_is_erased_meanwhile_leaves_nothing(
    project: Project,
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
) -> None:
    conversation.remember("Likes tea")

    def erase(texts: Sequence[str]) -> None:
        erase_relationship(project_id=project.id, relationship_id=relationship.id, by=BY)

    scripted_embedder.while_answering = erase

    assert embed(relationship) == 0
    assert not Embedding.objects.exists()
    assert not SearchText.objects.exists()


def test_of_a_relationship_that_is_not_there_nothing_is_owed(relationship: Relationship) -> None:
    erase_relationship(project_id=relationship.project_id, relationship_id=relationship.id, by=BY)

    assert embed(relationship) == 0


def test_a_deleted_entry_is_sent_to_nobody(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]
    delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=PERSON)

    embed(relationship)

    assert scripted_embedder.asked == []


def test_another_embedder_by_hand_fills_the_gaps_by_itself(
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memory.retrieval.index.gaps.AT_ONCE", 2)
    entries = conversation.remember("one", "two", "three", "four", "five")
    embed(relationship)

    configure(relationship, embedder="offline")
    assert embed(relationship) == 5

    assert embedded(relationship, OFFLINE) == {entry.id for entry in entries}
    assert embedded(relationship, scripted_embedder.model) == {entry.id for entry in entries}


def test_a_configuration_that_changes_meanwhile_leaves_the_texts_to_the_new_embedder(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]
    scripted_embedder.while_answering = lambda _: configure(relationship, embedder="offline")

    embed(relationship)

    assert embedded(relationship, OFFLINE) == {entry.id}
    assert embedded(relationship, scripted_embedder.model) == set()


def test_a_restored_entry_keeps_its_vector_and_costs_no_call(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]
    embed(relationship)
    SearchText.objects.for_relationship(relationship.id).update(due_at=datetime(2026, 1, 1, tzinfo=UTC))

    embed(relationship)

    assert len(scripted_embedder.asked) == 1
    assert owing(relationship) == set()
    assert embedded(relationship) == {entry.id}


def test_a_row_that_does_not_tell_its_owners_text_is_put_right(
    relationship: Relationship, conversation: Conversation
) -> None:
    entry = conversation.remember("Likes tea")[0]
    type(entry).objects.for_relationship(relationship.id).update(content="Likes coffee")

    embed(relationship)

    assert "coffee" in row_of(entry).lexemes
    assert embedded(relationship) == {entry.id}
