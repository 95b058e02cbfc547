from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from memory.embedders.base import Embedded
from memory.models import SearchedKind
from memory.retrieval.columns import Sought
from memory.retrieval.found import EntryFilters
from memory.retrieval.large import known
from memory.retrieval.large.candidates import large_candidates
from memory.retrieval.large.find import note_large
from memory.retrieval.large.upkeep import keep_up
from relationships.configuration.retrieval import Retrieval
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.sample import DIMENSIONS, MODEL, NOON, fill, units

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def small_limit(settings: Any) -> None:
    settings.LARGE_RELATIONSHIP_ROWS = 100
    known.forget_known()


def make_large(relationship: Relationship) -> None:
    note_large(relationship.id, now=timezone.now())
    keep_up(timezone.now())
    known.forget_known()


def sought(relationship: Relationship, words: str, *, filters: EntryFilters | None = None) -> Sought:
    vectors = Embedded(units(1, seed=8), MODEL, DIMENSIONS, "sample", None, 0.0, None)
    kind = SearchedKind.ENTRY
    return Sought(relationship.id, kind, [words], None, filters or EntryFilters(), NOON, vectors)


def test_the_candidates_hold_the_nearest_and_the_rarest_words(relationship: Relationship) -> None:
    ids = fill(relationship, 3000)
    make_large(relationship)

    found = large_candidates(sought(relationship, "item7 word3"), ranker="best", retrieval=Retrieval())

    assert found is not None
    best = np.argsort(-(units(3000) @ units(1, seed=8)[0]))[:20]
    assert {ids[place] for place in best} <= found.owner_ids
    assert ids[7] in found.owner_ids
    assert len(found.owner_ids) < 1000
