import pytest
from django.utils import timezone

from memory.models import DecayedVector, Embedding
from memory.retrieval.decayed_vectors import renew_stale, settle_decayed_vectors
from relationships.models import Companion
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, run, unguarded


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
