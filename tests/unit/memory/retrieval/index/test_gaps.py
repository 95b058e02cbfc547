import pytest

from memory.models import Embedding, SearchText
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.index.gaps import has_gaps, owe_gaps
from providers.embeddings.base import Embedder
from relationships.models import Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.index import configure, owing
from tests.fixtures.turns import Conversation

WANTED = Retrieval(embedder="default", embed_messages=True)


@pytest.fixture(autouse=True)
def embedded_texts(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(relationship, embedder="default", embed_messages=True)
    conversation.remember("one", "two", "three")
    conversation.say("four", "five")
    embed_owed(relationship_id=relationship.id)


def lose_vectors(**of: object) -> None:
    Embedding.objects.filter(**of).delete()


def test_where_every_text_has_its_vector_there_is_no_gap(
    relationship: Relationship, scripted_embedder: Embedder
) -> None:
    assert not has_gaps(relationship.id, WANTED, scripted_embedder)
    assert owe_gaps(relationship.id, WANTED, scripted_embedder) == 0


@pytest.mark.parametrize("kind", ["entry", "message"])
def test_a_kind_without_vectors_is_owed_them(
    kind: str, relationship: Relationship, scripted_embedder: Embedder
) -> None:
    lose_vectors(kind=kind)

    owed = owe_gaps(relationship.id, WANTED, scripted_embedder)

    assert owed == SearchText.objects.filter(kind=kind).count()
    assert owing(relationship) == set(SearchText.objects.filter(kind=kind).values_list("owner_id", flat=True))


def test_vectors_of_other_dimensions_fill_no_gap(
    relationship: Relationship, scripted_embedder: Embedder
) -> None:
    Embedding.objects.update(dimensions=63)

    assert owe_gaps(relationship.id, WANTED, scripted_embedder) == 5


def test_until_the_dimensions_are_known_the_models_name_has_to_do(
    relationship: Relationship, scripted_embedder: Embedder
) -> None:
    scripted_embedder.dimensions = None

    assert not has_gaps(relationship.id, WANTED, scripted_embedder)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"state": "deleted"}, id="deleted"),
        pytest.param({"error_code": "content_blocked"}, id="failed for good"),
        pytest.param({"due_at": "2026-01-01T00:00:00Z"}, id="owed already"),
    ],
)
def test_what_should_have_none_is_no_gap(
    values: dict[str, str], relationship: Relationship, scripted_embedder: Embedder
) -> None:
    lose_vectors()
    SearchText.objects.update(**values)

    assert owe_gaps(relationship.id, WANTED, scripted_embedder) == 0


def test_messages_are_no_gap_where_only_entries_are_embedded(
    relationship: Relationship, scripted_embedder: Embedder
) -> None:
    lose_vectors(kind="message")

    assert not has_gaps(relationship.id, Retrieval(embedder="default"), scripted_embedder)


def test_a_configuration_that_changed_meanwhile_is_read_anew_first(
    relationship: Relationship, scripted_embedder: Embedder
) -> None:
    lose_vectors()
    configure(relationship, top_k=3)

    assert owe_gaps(relationship.id, WANTED, scripted_embedder) == 0
