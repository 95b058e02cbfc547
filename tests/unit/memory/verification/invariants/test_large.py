import pytest
from django.utils import timezone

from memory.models import DecayFold, Embedding, LargeIndex
from memory.retrieval.decay.write import fold_relationship
from tests.fixtures.turns import Conversation
from tests.unit.memory.verification.damage import check_mended, check_whole, run, unguarded


@pytest.fixture
def folded(lived: Conversation) -> LargeIndex:
    """The relationship's folds, as those of a large one that ranks by decay; its index is still wanted."""
    vector = Embedding.objects.filter(kind="entry").first()
    assert vector is not None
    index = LargeIndex.objects.create(
        relationship_id=vector.relationship_id,
        project_id=vector.project_id,
        kind="entry",
        purpose="decay",
        model=vector.model,
        dimensions=vector.dimensions,
        half_life_days=30.0,
        due_at=timezone.now(),
    )
    fold_relationship(index)
    return index


def test_folds_that_are_fresh_or_stale_are_in_order(folded: LargeIndex) -> None:
    check_whole()
    DecayFold.objects.update(stale=True)

    check_whole()


def test_a_fold_made_from_other_values_is_stale(folded: LargeIndex) -> None:
    fold = DecayFold.objects.first()
    assert fold is not None
    DecayFold.objects.filter(id=fold.id).update(importance=0.123)

    check_mended(["large/fold_out_of_step"])

    assert DecayFold.objects.get(id=fold.id).stale


def test_a_fold_of_no_vector_goes(folded: LargeIndex) -> None:
    vector = Embedding.objects.filter(kind="entry").order_by("-owner_id")[0]
    assert vector is not None
    with unguarded():
        run("DELETE FROM memory_embedding WHERE id = %s", vector.id)

    check_mended(["large/fold_of_nothing"])

    assert not DecayFold.objects.filter(owner_id=vector.owner_id).exists()


def test_an_index_that_passes_for_ready_and_is_not_there_is_wanted_anew(folded: LargeIndex) -> None:
    LargeIndex.objects.filter(id=folded.id).update(state="ready", due_at=None)

    check_mended(["large/index_not_there"])

    again = LargeIndex.objects.get(id=folded.id)
    assert (again.state, again.due_at is not None) == ("wanted", True)
