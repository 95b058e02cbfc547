"""Searching by meaning: which vectors are compared, who is asked for them, and what happens when they do not come."""

from datetime import timedelta

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries

from memory.models import Embedding, SearchText
from memory.retrieval.search import TEXTS_AT_ONCE
from providers.embeddings.base import Embedded, Space
from providers.embeddings.registry import get_embedder
from relationships.models import Relationship
from tests.fakes import ScriptedEmbedder
from tests.unit.memory.retrieval.searched import NOON, Memory, contents, sibling
from web.errors import InvalidInput


def unit(*numbers: float) -> Embedded:
    vector = np.array([numbers], dtype=np.float32)
    return Embedded(vector / np.linalg.norm(vector), "small", 0.0)


def place(memory: Memory, owner: object, *numbers: float, model: str = "small") -> None:
    """A vector by hand."""
    row = SearchText.objects.get(owner_id=owner.id)  # type: ignore[attr-defined]
    Embedding.objects.create(
        relationship=memory.relationship,
        project_id=memory.relationship.project_id,
        kind=row.kind,
        owner_id=row.owner_id,
        model=model,
        dimensions=len(numbers),
        vector=list(numbers),
        text_hash=row.text_hash,
    )


def test_another_relationships_vectors_do_not_count(memory: Memory, relationship: Relationship) -> None:
    mine = memory.remember("Blue boat")[0]
    theirs = Memory(sibling(relationship))
    other = theirs.remember("Red boat")[0]
    place(memory, mine, 1, 0)
    place(theirs, other, 0, 1)

    found = memory.entries("something", ranker="cosine", question=unit(0, 1))
    assert [(hit.id, hit.score) for hit in found.hits] == [(mine.id, 0.0)]


def test_vectors_of_another_model_or_length_are_never_compared(memory: Memory) -> None:
    near, far, longer = memory.remember("Near", "Far", "Longer")
    place(memory, near, 1, 0)
    place(memory, far, 1, 0, model="other")
    place(memory, longer, 1, 0, 0)

    found = memory.entries("zebra", ranker="cosine", question=unit(1, 0))

    assert found.space == Space("small", 2)
    scores = {hit.id: hit.score for hit in found.hits}
    assert scores == {near.id: pytest.approx(1.0), far.id: 0.0, longer.id: 0.0}
    assert any("2 of 3" in note for note in found.notes)


def test_a_messages_vector_is_not_an_entrys(memory: Memory) -> None:
    entry = memory.remember("Blue boat")[0]
    message = memory.say("Blue boat")[0]
    place(memory, message, 1, 0)
    assert memory.entries("boat", question=unit(1, 0)).space is None
    place(memory, entry, 1, 0)
    assert memory.entries("boat", question=unit(1, 0)).space is not None


def test_a_vector_of_nothing_is_as_none(memory: Memory) -> None:
    zero, near = memory.remember("Zero", "Near")
    place(memory, zero, 0, 0)
    place(memory, near, 1, 0)
    found = memory.entries("zebra", ranker="cosine", question=unit(1, 0))
    assert contents(found) == ["Near", "Zero"]
    assert all(np.isfinite(hit.score) for hit in found.hits)


def test_meaning_is_found_where_words_differ(
    scripted_embedder: ScriptedEmbedder, relationship: Relationship
) -> None:
    memory = Memory(relationship, embedder="default")
    memory.remember("Lives in Porto", "Plays the cello")
    scripted_embedder.place_near("Where is home?", "Lives in Porto", at=0.9)
    memory.embed()

    found = memory.entries("Where is home?")

    assert contents(found)[0] == "Lives in Porto"
    assert found.space == Space("scripted-embedder-1", 64)
    assert found.notes == ()


def test_several_texts_take_one_call_and_as_many_statements_as_one(
    scripted_embedder: ScriptedEmbedder,
    relationship: Relationship,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    memory = Memory(relationship, embedder="default")
    memory.remember("Lives in Porto", "Plays the cello", "Drinks tea")
    memory.embed()
    memory.entries("warm up")
    scripted_embedder.asked.clear()
    texts = ["the cello", "some tea", "Porto"]

    with django_assert_num_queries(2):
        together = memory.entries_for(texts)

    assert scripted_embedder.asked == [("query", texts)]
    assert [contents(one)[0] for one in together] == ["Plays the cello", "Drinks tea", "Lives in Porto"]
    for text, one in zip(texts, together, strict=True):
        alone = memory.entries(text)
        assert [hit.id for hit in one.hits] == [hit.id for hit in alone.hits]
        assert [hit.score for hit in one.hits] == pytest.approx([hit.score for hit in alone.hits])
    assert memory.entries_for([]) == []


def test_a_vector_that_does_not_come_leaves_the_words_and_a_note(
    scripted_embedder: ScriptedEmbedder, relationship: Relationship
) -> None:
    memory = Memory(relationship, embedder="default", ranker="cosine")
    memory.remember("Drinks tea")
    memory.embed()
    scripted_embedder.answer_with(RuntimeError("a crash of the embedder"))

    found = memory.entries("tea")

    assert (contents(found), found.ranker, found.space) == (["Drinks tea"], "best", None)
    assert found.notes == (
        "The question's vector did not come in time, so only text was searched.",
        "There is no vector that cosine could compare; ranked by best.",
    )


def test_another_rankers_floor_does_not_bind_the_ranking_by_text(memory: Memory) -> None:
    memory.remember("Drinks tea")
    found = memory.entries("tea", ranker="cosine", question=unit(1, 0), min_score=5)
    assert (found.ranker, contents(found)) == ("best", ["Drinks tea"])


@pytest.mark.parametrize("ranker", ["cosine", "importance", "decay"])
def test_a_ranker_that_compares_vectors_asks_for_an_embedder(memory: Memory, ranker: str) -> None:
    with pytest.raises(InvalidInput, match=f"the ranker {ranker} compares vectors") as refused:
        memory.entries("tea", ranker=ranker)
    assert refused.value.problems[0].field == "retrieval.embedder"


@pytest.mark.parametrize("ranker", ["best", "hybrid", "cosine", "importance", "decay"])
def test_every_ranker_finds_what_is_embedded_and_explains_it(offline_memory: Memory, ranker: str) -> None:
    offline_memory.remember("Drinks green tea", "Plays the cello")
    offline_memory.say("I drink green tea", "I see")
    offline_memory.embed()

    entries = offline_memory.entries("green tea", ranker=ranker)
    messages = offline_memory.messages("green tea", ranker=ranker)

    assert contents(entries)[0] == "Drinks green tea"
    assert contents(messages)[0] == "I drink green tea"
    offline = get_embedder("offline").embed(["x"], purpose="query").space
    assert entries.space == (None if ranker in ("best", "hybrid") else offline)  # it would count words twice
    assert entries.ranker == ranker
    assert entries.hits[0].parts


def test_what_is_older_than_decay_can_score_goes_by_similarity_all_the_same(
    relationship: Relationship,
) -> None:
    memory = Memory(relationship, ranker="decay", half_life_days=0.5)
    (far,) = memory.remember("Far", effective_at=NOON - timedelta(days=730))
    (near,) = memory.remember("Near", effective_at=NOON - timedelta(days=730, hours=1))
    place(memory, near, 1, 0)
    place(memory, far, 1, 2)

    found = memory.entries("zebra", question=unit(1, 0))

    assert [(hit.id, hit.score) for hit in found.hits] == [(near.id, 0.0), (far.id, 0.0)]


def test_very_many_texts_are_asked_in_turns(
    scripted_embedder: ScriptedEmbedder, relationship: Relationship
) -> None:
    memory = Memory(relationship, embedder="default")
    memory.remember("Plays the cello")
    memory.embed()
    scripted_embedder.asked.clear()

    found = memory.entries_for([f"cello {number}" for number in range(TEXTS_AT_ONCE + 1)])

    assert [len(texts) for _, texts in scripted_embedder.asked] == [TEXTS_AT_ONCE, 1]
    assert {tuple(contents(one)) for one in found} == {("Plays the cello",)}
