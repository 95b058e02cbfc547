from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone
from numpy.typing import NDArray

from memory.embedders.base import Embedded
from memory.models import DecayFold, Embedding, IndexPurpose, LargeIndex, ScratchpadEntry, SearchedKind
from memory.retrieval.columns import Sought
from memory.retrieval.configuration import Retrieval
from memory.retrieval.decay.weights import fold, log_weights
from memory.retrieval.decay.write import refold_stale
from memory.retrieval.found import EntryFilters
from memory.retrieval.large.candidates import large_candidates
from memory.services.entries import revise_entry
from relationships.actor import Actor
from relationships.models import Companion, Relationship
from tests.unit.memory.retrieval.large.conftest import MakeLarge
from tests.unit.memory.retrieval.large.sample import DIMENSIONS, MODEL, NOON, add_vectors, fill, units

COUNT = 1200
HALF_LIFE = 7.0
RETRIEVAL = Retrieval(ranker="decay", half_life_days=HALF_LIFE)
BY = Actor.policy("test")

Floats = NDArray[Any]


@pytest.fixture
def by_decay(relationship: Relationship, indexes: None) -> Relationship:
    config = {"retrieval": {"ranker": "decay", "half_life_days": HALF_LIFE}}
    Companion.objects.filter(id=relationship.companion_id).update(config=config)
    return relationship


def index_of(relationship: Relationship) -> LargeIndex:
    index: LargeIndex = LargeIndex.objects.for_relationship(relationship.id).get(purpose=IndexPurpose.DECAY)
    return index


def folds_of(relationship: Relationship) -> dict[UUID, Floats]:
    fresh = DecayFold.objects.for_relationship(relationship.id).filter(stale=False)
    return {row.owner_id: np.array(row.vector) for row in fresh}


def sought(relationship: Relationship) -> Sought:
    vectors = Embedded(units(1, seed=8), MODEL, DIMENSIONS, "sample", None, 0.0, None)
    return Sought(relationship.id, SearchedKind.ENTRY, ["word3"], None, EntryFilters(), NOON, vectors)


def expected(vector: Floats, *, importance: float, hours: float, index: LargeIndex) -> Floats:
    assert index.reference is not None
    told = np.array([(NOON - timedelta(hours=hours)).timestamp()])
    weights = log_weights(
        np.array([importance]), told, reference=index.reference.timestamp(), half_life_days=HALF_LIFE
    )
    folded: Floats = fold(vector[None, :], weights)[0]
    return folded


def test_every_entry_is_folded_and_the_candidates_are_the_formula_s_best(
    by_decay: Relationship, make_large: MakeLarge
) -> None:
    ids = fill(by_decay, COUNT)
    make_large(by_decay)

    folds = folds_of(by_decay)
    assert len(folds) == COUNT
    assert folds[ids[25]] == pytest.approx(
        expected(units(COUNT)[25], importance=0.6, hours=25, index=index_of(by_decay)), rel=1e-6
    )
    found = large_candidates(sought(by_decay), ranker="decay", retrieval=RETRIEVAL)
    assert found is not None and len(found.owner_ids) < COUNT
    places = np.arange(COUNT)
    scores = (units(COUNT) @ units(1, seed=8)[0]) * (places % 10 + 1) / 10 * 2.0 ** (-places / 24 / HALF_LIFE)
    assert {ids[place] for place in np.argsort(-scores)[:20]} <= found.owner_ids


def test_a_change_of_importance_makes_the_fold_stale_and_then_anew(
    by_decay: Relationship, make_large: MakeLarge
) -> None:
    ids = fill(by_decay, COUNT)
    make_large(by_decay)
    last = ids[-1]

    revise_entry(relationship_id=by_decay.id, entry_id=last, values={"importance": 0.99}, by=BY)

    assert last not in folds_of(by_decay)
    found = large_candidates(sought(by_decay), ranker="decay", retrieval=RETRIEVAL)
    assert found is not None and last in found.owner_ids
    assert refold_stale(index_of(by_decay)) == 1
    row = DecayFold.objects.for_relationship(by_decay.id).get(owner_id=last)
    assert (row.stale, row.importance) == (False, 0.99)


def test_a_new_vector_makes_the_fold_stale_and_a_lost_one_takes_it_along(
    by_decay: Relationship, make_large: MakeLarge
) -> None:
    ids = fill(by_decay, 150)
    make_large(by_decay)

    (new,) = fill(by_decay, 1, seed=9)

    stale = DecayFold.objects.for_relationship(by_decay.id).filter(stale=True)
    assert [row.owner_id for row in stale] == [new]
    Embedding.objects.for_relationship(by_decay.id).filter(owner_id=ids[0]).delete()
    assert not DecayFold.objects.for_relationship(by_decay.id).filter(owner_id=ids[0]).exists()


def test_the_reference_moves_before_a_fold_would_overflow(
    by_decay: Relationship, make_large: MakeLarge
) -> None:
    ids = fill(by_decay, 150)
    make_large(by_decay)
    before = index_of(by_decay)
    ahead = NOON + timedelta(days=61 * HALF_LIFE)
    ScratchpadEntry.objects.for_relationship(by_decay.id).filter(id=ids[3]).update(effective_at=ahead)

    assert refold_stale(before) is None

    LargeIndex.objects.for_relationship(by_decay.id).filter(id=before.id).update(
        state="wanted", due_at=timezone.now()
    )
    make_large(by_decay)
    assert before.reference == NOON
    assert index_of(by_decay).reference == ahead
    assert len(folds_of(by_decay)) == 150
    assert {row.reference for row in DecayFold.objects.for_relationship(by_decay.id)} == {ahead}


def test_another_space_has_folds_of_its_own(by_decay: Relationship, make_large: MakeLarge) -> None:
    ids = fill(by_decay, 150)
    make_large(by_decay)

    add_vectors(by_decay, ids[:1], units(1), model="another")

    assert DecayFold.objects.for_relationship(by_decay.id).count() == 150
