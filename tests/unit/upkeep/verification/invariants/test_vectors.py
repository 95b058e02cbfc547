import pytest

from memory.models import Embedding, SearchText
from memory.retrieval.index.embed import embed_owed
from tests.fakes import ScriptedEmbedder
from tests.fixtures.index import configure, embedded, owing
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, problems, run
from upkeep.verification import verify


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("text_hash = sha256('x')", "vectors/stale"),
        ("dimensions = dimensions + 1", "vectors/misshapen"),
        ("vector = (SELECT array_fill(0, ARRAY[dimensions])::halfvec)", "vectors/misshapen"),
    ],
)
def test_a_vector_that_fits_nothing_is_dropped_and_owed_again(
    lived: Conversation, damage: str, problem: str
) -> None:
    vector = Embedding.objects.filter(kind="entry").order_by("-owner_id")[0]
    run(f"UPDATE memory_embedding SET {damage} WHERE id = %s", vector.id)

    check_mended([problem])

    assert owing(lived.relationship) == {vector.owner_id}
    embed_owed(relationship_id=lived.relationship.id)
    assert vector.owner_id in embedded(lived.relationship)
    check_whole()


def test_a_gap_between_texts_with_vectors_is_owed(lived: Conversation) -> None:
    middle = Embedding.objects.filter(kind="entry").order_by("owner_id")[1]
    Embedding.objects.filter(id=middle.id).delete()

    check_mended(["vectors/gap"])

    assert owing(lived.relationship) == {middle.owner_id}


def test_gaps_that_the_housekeeping_fills_are_in_order(lived: Conversation) -> None:
    newest = Embedding.objects.filter(kind="entry").order_by("-owner_id")[0]
    Embedding.objects.filter(id=newest.id).delete()

    check_whole()


def test_another_embedder_than_the_vectors_are_of_is_no_problem(
    lived: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    configure(lived.relationship, embedder="offline")
    check_whole()
    configure(lived.relationship, embedder=None)
    check_whole()


def test_a_text_that_is_owed_or_was_refused_is_no_gap(lived: Conversation) -> None:
    owner_ids = list(
        Embedding.objects.filter(kind="entry").order_by("owner_id").values_list("owner_id", flat=True)
    )
    Embedding.objects.filter(owner_id__in=owner_ids[1:3]).delete()
    SearchText.objects.filter(owner_id=owner_ids[1]).update(error_code="refused")
    SearchText.objects.filter(owner_id=owner_ids[2]).update(due_at="2026-01-01T00:00:00Z")

    assert problems(verify()) == {}
