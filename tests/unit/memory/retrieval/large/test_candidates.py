from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from memory.embedders.base import Space
from memory.models import SearchedKind
from memory.retrieval.large import known
from memory.retrieval.large.candidates import Asked, Scope, large_candidates
from memory.retrieval.large.find import note_large
from memory.retrieval.large.upkeep import keep_up
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.sample import DIMENSIONS, MODEL, fill, units

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = """memory_searchtext s
  JOIN memory_scratchpadentry n ON n.relationship_id = s.relationship_id AND n.id = s.owner_id
 WHERE s.relationship_id = %(relationship)s AND s.kind = 'entry'"""
SPACE = Space(MODEL, DIMENSIONS)


@pytest.fixture(autouse=True)
def small_limit(settings: Any) -> None:
    settings.LARGE_RELATIONSHIP_ROWS = 100
    known.forget_known()


def make_large(relationship: Relationship) -> None:
    note_large(relationship.id, now=timezone.now())
    keep_up(timezone.now())
    known.forget_known()


def scope(relationship: Relationship, *, allowed: str = "n.state = 'active'", narrowed: bool = False) -> Scope:
    values = {"relationship": relationship.id}
    return Scope(relationship.id, SearchedKind.ENTRY, ROWS, allowed, values, narrowed)


def test_the_candidates_hold_the_nearest_and_the_rarest_words(relationship: Relationship) -> None:
    ids = fill(relationship, 3000)
    make_large(relationship)
    question = units(1, seed=8)

    found = large_candidates(scope(relationship), Asked(["item7", "word3"], question, SPACE))

    assert found is not None
    best = np.argsort(-(units(3000) @ question[0]))[:20]
    assert {ids[place] for place in best} <= found.owner_ids
    assert ids[7] in found.owner_ids
    assert len(found.owner_ids) < 1000
