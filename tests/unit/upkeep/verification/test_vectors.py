"""What a text has in the index and what was made of its vectors, where that may look wrong and is not, and decay's."""

import pytest
from django.utils import timezone

from memory.models import DecayedVector, Embedding, SearchSegment, SearchText
from memory.retrieval.decayed_vectors import renew_stale, settle_decayed_vectors
from relationships.models import Companion
from tests.fixtures.index import configure
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, run, unguarded


def test_texts_without_words_or_with_memory_of_ours_in_them_are_in_order(lived: Conversation) -> None:
    fenced = "<rapport_memory>\n- Likes tea\n</rapport_memory>"
    lived.say("?!", "It is you", f"{fenced} Hello", fenced, "<rapport_x> half")
    lived.remember("…")

    check_whole()


@pytest.mark.usefixtures("scripted_embedder")
def test_another_embedder_than_the_vectors_are_of_is_no_problem(lived: Conversation) -> None:
    configure(lived.relationship, embedder="offline")
    check_whole()
    configure(lived.relationship, embedder=None)
    check_whole()


def test_a_text_that_is_owed_or_was_refused_is_no_gap(lived: Conversation) -> None:
    vectors = Embedding.objects.filter(kind="entry").order_by("owner_id")
    refused, owed = vectors.values_list("owner_id", flat=True)[1:3]
    Embedding.objects.filter(owner_id__in=[refused, owed]).delete()
    SearchText.objects.filter(owner_id=refused).update(error_code="refused")
    SearchText.objects.filter(owner_id=owed).update(due_at="2026-01-01T00:00:00Z")

    check_whole()


@pytest.fixture
def decayed(lived: Conversation, settings: object) -> None:
    """As a relationship with many entries that ranks by decay has them."""
    vector = Embedding.objects.filter(kind="entry").first()
    assert vector is not None
    settings.LARGE_RELATIONSHIP_ROWS = 1  # type: ignore[attr-defined]
    for companion in Companion.objects.all():
        companion.config.setdefault("retrieval", {})["ranker"] = "decay"
        companion.save()
    settle_decayed_vectors(vector.relationship_id)
    assert renew_stale(timezone.now())


@pytest.mark.usefixtures("decayed")
def test_those_that_are_fresh_or_stale_are_in_order() -> None:
    check_whole()
    DecayedVector.objects.update(stale=True)

    check_whole()


@pytest.mark.usefixtures("decayed")
def test_one_made_from_other_values_is_stale() -> None:
    row = DecayedVector.objects.first()
    assert row is not None
    DecayedVector.objects.filter(id=row.id).update(importance=0.123)

    check_mended(["decayed_vectors/out_of_step"])

    assert DecayedVector.objects.get(id=row.id).stale


@pytest.mark.usefixtures("decayed")
def test_one_of_no_vector_goes() -> None:
    vector = Embedding.objects.filter(kind="entry").order_by("-owner_id")[0]
    with unguarded():
        run("DELETE FROM memory_embedding WHERE id = %s", vector.id)

    check_mended(["decayed_vectors/of_nothing"])

    assert not DecayedVector.objects.filter(owner_id=vector.owner_id).exists()


@pytest.mark.parametrize("damage", ["packed = ''", "lexemes = 'tea:1'::tsvector", "names = '{}'"])
def test_a_segment_that_says_something_else_than_its_rows_is_packed_anew(
    lived: Conversation, damage: str
) -> None:
    for _ in range(4):
        lived.say(*[f"I drink tea number {number}" for number in range(50)])
    assert SearchSegment.objects.exists()
    check_whole()
    run(f"UPDATE memory_searchsegment SET {damage} WHERE number = 0")

    check_mended(["segments/out_of_step"])
