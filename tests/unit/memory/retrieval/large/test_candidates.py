from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.embedders.base import Embedded
from memory.models import SearchedKind
from memory.retrieval.columns import Sought
from memory.retrieval.configuration import Retrieval
from memory.retrieval.found import EntryFilters
from memory.retrieval.large.candidates import large_candidates
from relationships.models import Relationship
from tests.unit.memory.retrieval.large.conftest import MakeLarge
from tests.unit.memory.retrieval.large.sample import DIMENSIONS, MODEL, NOON, fill, units

COUNT = 1500
RETRIEVAL = Retrieval()


def sought(relationship: Relationship, *words: str) -> Sought:
    """One question for each, with a vector of its own."""
    vectors = Embedded(units(len(words), seed=8), MODEL, DIMENSIONS, "sample", None, 0.0, None)
    return Sought(relationship.id, SearchedKind.ENTRY, list(words), None, EntryFilters(), NOON, vectors)


def test_the_candidates_hold_the_nearest_and_the_rarest_words(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    ids = fill(relationship, COUNT)
    make_large(relationship)

    found = large_candidates(sought(relationship, "item7 word3"), ranker="best", retrieval=RETRIEVAL)

    assert found is not None
    nearest = np.argsort(-(units(COUNT) @ units(1, seed=8)[0]))[:20]
    assert {ids[place] for place in nearest} <= found.owner_ids
    assert ids[7] in found.owner_ids
    assert len(found.owner_ids) < 1000


def test_they_come_with_figures_of_the_whole_relationship(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, 300)
    make_large(relationship)

    found = large_candidates(
        sought(relationship, "item7 word3 never", "word3"), ranker="best", retrieval=RETRIEVAL
    )

    assert found is not None
    for number, whole in enumerate(found.statistics):
        assert (whole.rows, whole.mean_length) == (300, 2.0)
        assert whole.documents.tolist() == [1, 0, 6]  # item7, never, word3
        cosines = units(300) @ units(2, seed=8)[number]
        assert whole.mean_cosine == pytest.approx(cosines.mean(), abs=1e-3)


def test_a_filter_that_leaves_few_is_answered_with_all_of_them(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    ids = fill(relationship, 300)
    make_large(relationship)
    ten_newest = EntryFilters(told_from=NOON - timedelta(hours=9))

    asked = replace(sought(relationship, "word3"), filters=ten_newest)
    found = large_candidates(asked, ranker="best", retrieval=RETRIEVAL)

    assert found is not None and found.owner_ids == set(ids[:10])


def test_a_small_relationship_has_none_and_costs_no_statement(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, 20)
    make_large(relationship)
    asked = sought(relationship, "word3")
    large_candidates(asked, ranker="best", retrieval=RETRIEVAL)

    with CaptureQueriesContext(connection) as statements:
        assert large_candidates(asked, ranker="best", retrieval=RETRIEVAL) is None

    assert len(statements) == 0


@pytest.mark.parametrize(
    ("ranker", "retrieval"),
    [("importance", Retrieval(candidates=5000)), ("decay", RETRIEVAL)],
    ids=["more of the nearest than an index is good for", "no fold yet"],
)
def test_what_the_indexes_cannot_serve_reads_every_row(
    relationship: Relationship, make_large: MakeLarge, ranker: str, retrieval: Retrieval
) -> None:
    fill(relationship, 150)
    make_large(relationship)

    assert large_candidates(sought(relationship, "word3"), ranker=ranker, retrieval=retrieval) is None


def test_a_question_of_another_space_reads_every_row(
    relationship: Relationship, make_large: MakeLarge
) -> None:
    fill(relationship, 150)
    make_large(relationship)
    asked = sought(relationship, "word3")
    assert asked.vectors is not None
    elsewhere = replace(asked, vectors=replace(asked.vectors, model="another"))

    assert large_candidates(elsewhere, ranker="best", retrieval=RETRIEVAL) is None


def test_without_vectors_the_words_alone_choose(relationship: Relationship, make_large: MakeLarge) -> None:
    ids = fill(relationship, 300)
    make_large(relationship)
    asked = replace(sought(relationship, "item7"), vectors=None)

    found = large_candidates(asked, ranker="best", retrieval=RETRIEVAL)

    assert found is not None and found.owner_ids == {ids[7]}
