from typing import Any

import pytest
from django.utils import timezone

from memory.models import Embedding, IndexPurpose, IndexState, LargeIndex
from memory.retrieval.large.find import Walk, note_large
from relationships.models import Companion, Relationship
from tests.unit.memory.retrieval.large.conftest import LIMIT
from tests.unit.memory.retrieval.large.sample import add_vectors, fill, units

pytestmark = pytest.mark.usefixtures("small_limit")

DECAY = {"retrieval": {"ranker": "decay", "half_life_days": 7}}


def wanted(relationship: Relationship) -> set[str]:
    return set(LargeIndex.objects.for_relationship(relationship.id).values_list("purpose", flat=True))


def note(relationship: Relationship) -> int:
    return note_large(relationship.id, now=timezone.now())


def configure(relationship: Relationship, config: dict[str, Any]) -> None:
    Companion.objects.filter(id=relationship.companion_id).update(config=config)


@pytest.mark.parametrize(("count", "purposes"), [(LIMIT - 1, set()), (LIMIT, {"text", "nearest"})])
def test_a_relationship_is_large_from_the_limit_on(
    relationship: Relationship, count: int, purposes: set[str]
) -> None:
    fill(relationship, count)

    assert note(relationship) == len(purposes)
    assert wanted(relationship) == purposes
    assert note(relationship) == 0


def test_a_walk_finds_it_and_asks_nothing_of_the_small(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    walk = Walk()

    assert sum(walk.step(timezone.now()) for _ in range(2)) == 2

    Relationship.objects.filter(id=relationship.id).update(last_seq=LIMIT - 1)
    LargeIndex.objects.all().delete()
    assert sum(walk.step(timezone.now()) for _ in range(3)) == 0


def test_who_ranks_by_decay_wants_a_fold_of_its_half_life(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    configure(relationship, DECAY)

    note(relationship)

    fold = LargeIndex.objects.for_relationship(relationship.id).get(purpose=IndexPurpose.DECAY)
    assert fold.half_life_days == 7


def test_another_half_life_wants_the_fold_anew(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    configure(relationship, DECAY)
    note(relationship)
    LargeIndex.objects.for_relationship(relationship.id).update(state=IndexState.READY, due_at=None)
    configure(relationship, {"retrieval": {"ranker": "decay", "half_life_days": 14}})

    assert note(relationship) == 1

    fold = LargeIndex.objects.for_relationship(relationship.id).get(purpose=IndexPurpose.DECAY)
    assert (fold.half_life_days, fold.state) == (14, IndexState.WANTED)
    assert fold.due_at is not None


def test_who_ranks_otherwise_again_loses_the_fold(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    configure(relationship, DECAY)
    note(relationship)
    configure(relationship, {})

    assert note(relationship) == 1
    assert wanted(relationship) == {"text", "nearest"}


@pytest.mark.parametrize(("left", "kept"), [(LIMIT // 2, True), (LIMIT // 2 - 1, False)])
def test_an_index_goes_when_less_than_half_of_the_limit_is_left(
    relationship: Relationship, left: int, kept: bool
) -> None:
    ids = fill(relationship, LIMIT)
    note(relationship)
    Embedding.objects.for_relationship(relationship.id).filter(owner_id__in=ids[left:]).delete()

    note(relationship)

    assert ("nearest" in wanted(relationship)) is kept


def test_a_space_that_is_gone_takes_its_index_along(relationship: Relationship) -> None:
    ids = fill(relationship, LIMIT)
    add_vectors(relationship, ids, units(LIMIT), model="old")
    note(relationship)
    assert LargeIndex.objects.filter(purpose=IndexPurpose.NEAREST).count() == 2

    Embedding.objects.for_relationship(relationship.id).filter(model="old").delete()
    note(relationship)

    assert [row.model for row in LargeIndex.objects.filter(purpose=IndexPurpose.NEAREST)] == ["sample"]


def test_what_grew_by_a_tenth_is_counted_anew(relationship: Relationship) -> None:
    fill(relationship, LIMIT)
    note(relationship)
    LargeIndex.objects.for_relationship(relationship.id).update(state=IndexState.READY, due_at=None)

    fill(relationship, LIMIT // 10, seed=8)
    assert note(relationship) == 0
    fill(relationship, 1, seed=9)
    assert note(relationship) == 2
    assert set(LargeIndex.objects.values_list("state", flat=True)) == {IndexState.READY}
