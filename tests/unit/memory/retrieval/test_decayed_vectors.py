from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone
from numpy.typing import NDArray
from pgvector import HalfVector

from memory.entries.editing import revise_entry
from memory.entries.fingerprint import content_hash
from memory.models import DecayedVector, Embedding, EntrySource, ScratchpadEntry, SearchedKind, Tier
from memory.retrieval.columns import SearchQuery
from memory.retrieval.configuration import Retrieval
from memory.retrieval.decay import decayed_vectors, log_weights
from memory.retrieval.decayed_vectors import DecayWalk, decay_candidates, renew_stale
from memory.retrieval.results import EntryFilters
from memory.retrieval.search import search_entries
from providers.embeddings.base import Embedded
from relationships.models import Companion, Relationship
from tests.fixtures.contexts import NOON
from tests.fixtures.index import index_as
from web.actor import Actor

MODEL, DIMENSIONS = "sample", 8
MANY, HALF_LIFE = 100, 7.0
RETRIEVAL = Retrieval(ranker="decay", half_life_days=HALF_LIFE, top_k=20)
BY = Actor.policy("test")

Floats = NDArray[Any]


@pytest.fixture
def by_decay(relationship: Relationship, settings: Any) -> Relationship:
    settings.LARGE_RELATIONSHIP_ROWS = MANY
    configure(relationship, half_life_days=HALF_LIFE)
    return relationship


def configure(relationship: Relationship, *, ranker: str = "decay", **retrieval: float) -> None:
    config = {"retrieval": {"ranker": ranker, **retrieval}}
    Companion.objects.filter(id=relationship.companion_id).update(config=config)


def units(count: int, *, seed: int = 7) -> NDArray[np.float32]:
    """Unit vectors as halfvec keeps them."""
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSIONS))
    kept: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return kept.astype(np.float16).astype(np.float32)


def fill(relationship: Relationship, count: int, *, seed: int = 7) -> list[UUID]:
    """So many active entries, each an hour older than the one before, of importance .1 to 1 in turn.

    The n-th has the n-th vector of `units(count)`.
    """
    said = [f"word{place % 50} item{place} of{seed}" for place in range(count)]
    own: dict[str, Any] = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    entries = ScratchpadEntry.objects.bulk_create(
        ScratchpadEntry(
            **own,
            content=content,
            content_hash=content_hash(content),
            type="event",
            tier=Tier.ARCHIVE,
            source=EntrySource.API,
            importance=(place % 10 + 1) / 10,
            recorded_at=NOON,
            effective_at=NOON - timedelta(hours=place),
        )
        for place, content in enumerate(said)
    )
    ids = [entry.id for entry in entries]
    index_as(relationship, SearchedKind.ENTRY, entries, now=NOON)
    add_vectors(relationship, ids, units(count, seed=seed))
    Relationship.objects.filter(id=relationship.id).update(last_seq=count)
    return ids


def add_vectors(
    relationship: Relationship, ids: Sequence[UUID], vectors: NDArray[np.float32], *, model: str = MODEL
) -> None:
    Embedding.objects.bulk_create(
        Embedding(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            kind=SearchedKind.ENTRY,
            owner_id=owner_id,
            model=model,
            dimensions=DIMENSIONS,
            vector=HalfVector(vector),
            text_hash=b"",
            recorded_at=NOON,
        )
        for owner_id, vector in zip(ids, vectors, strict=True)
    )


def settle() -> None:
    """What the housekeeping does in time."""
    DecayWalk().step(timezone.now())
    while renew_stale(timezone.now()):
        pass


def rows_of(relationship: Relationship, **conditions: Any) -> dict[UUID, DecayedVector]:
    rows = DecayedVector.objects.for_relationship(relationship.id).filter(**conditions)
    return {row.owner_id: row for row in rows}


def candidates(relationship: Relationship, **filters: Any) -> set[UUID] | None:
    query = SearchQuery(
        relationship.id, SearchedKind.ENTRY, ["word3"], None, EntryFilters(**filters), NOON, question()
    )
    return decay_candidates(query, half_life_days=HALF_LIFE)


def question() -> Embedded:
    return Embedded(units(1, seed=8), MODEL, 0.0)


def found(relationship: Relationship) -> list[UUID]:
    """By the ranker, exactly as a context searches."""
    answer = search_entries(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        text="word3",
        retrieval=RETRIEVAL,
        now=NOON,
        question=question(),
    )
    return [hit.id for hit in answer.hits]


def test_each_entry_has_its_decayed_vector_and_the_answer_is_that_of_every_row(
    by_decay: Relationship,
) -> None:
    ids = fill(by_decay, 1200)
    exact = found(by_decay)
    assert candidates(by_decay) is None, "every entry is ranked until the vectors are there"

    settle()

    rows = rows_of(by_decay, stale=False)
    told = np.array([(NOON - timedelta(hours=25)).timestamp()])
    weights = log_weights(
        np.array([0.6]), told, reference=rows[ids[25]].reference.timestamp(), half_life_days=HALF_LIFE
    )
    expected: Floats = decayed_vectors(units(1200)[25][None, :], weights)[0]
    assert len(rows) == 1200
    assert np.array(rows[ids[25]].vector) == pytest.approx(expected, rel=1e-6)
    chosen = candidates(by_decay)
    assert chosen is not None and len(chosen) == 400
    assert found(by_decay) == exact


def test_filters_hold_a_new_vector_is_owed_a_lost_one_takes_it_along_and_few_of_another_space_have_none(
    by_decay: Relationship,
) -> None:
    ids = fill(by_decay, 150)
    settle()
    assert candidates(by_decay, types=("fact",)) == set()
    assert candidates(by_decay, told_from=NOON - timedelta(hours=2)) == set(ids[:3])

    add_vectors(by_decay, ids[:1], units(1), model="another")
    settle()
    assert len(rows_of(by_decay)) == 150

    (new,) = fill(by_decay, 1, seed=9)
    assert list(rows_of(by_decay, stale=True)) == [new]

    Embedding.objects.for_relationship(by_decay.id).filter(owner_id=ids[0]).delete()
    assert ids[0] not in rows_of(by_decay)


def test_few_entries_and_other_rankers_have_none(by_decay: Relationship) -> None:
    fill(by_decay, MANY - 1)
    settle()
    assert not rows_of(by_decay)

    fill(by_decay, 60, seed=9)
    configure(by_decay, ranker="best")
    settle()
    assert not rows_of(by_decay)


def test_a_change_of_importance_makes_it_stale_and_then_anew(by_decay: Relationship) -> None:
    last = fill(by_decay, 600)[-1]
    settle()

    revise_entry(relationship_id=by_decay.id, entry_id=last, values={"importance": 0.99}, by=BY)

    assert last in rows_of(by_decay, stale=True)
    assert last in (candidates(by_decay) or set())
    assert renew_stale(timezone.now()) == 1
    row = rows_of(by_decay)[last]
    assert (row.stale, row.importance) == (False, 0.99)


def test_the_reference_moves_before_a_number_would_overflow(by_decay: Relationship) -> None:
    ids = fill(by_decay, 150)
    settle()
    ahead = NOON + timedelta(days=61 * HALF_LIFE)
    assert {row.reference for row in rows_of(by_decay).values()} == {NOON}

    ScratchpadEntry.objects.for_relationship(by_decay.id).filter(id=ids[3]).update(effective_at=ahead)
    settle()  # moves it
    settle()

    assert len(rows_of(by_decay, stale=False)) == 150
    assert {row.reference for row in rows_of(by_decay).values()} == {ahead}


def test_another_half_life_makes_all_anew_and_ranks_every_row_meanwhile(by_decay: Relationship) -> None:
    fill(by_decay, 150)
    settle()
    configure(by_decay, half_life_days=30)

    assert DecayWalk().step(timezone.now()) == 1

    assert candidates(by_decay) is None
    assert {(row.half_life_days, row.stale) for row in rows_of(by_decay).values()} == {(30.0, True)}
    assert DecayWalk().step(timezone.now()) == 0
