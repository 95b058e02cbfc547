"""Is everything found for every one of many tenants, and what does a search take?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from benchmarks import draw
from benchmarks.measures.setup import Setup
from benchmarks.recall.evidence import pose
from benchmarks.report import Figure, Goal, Section
from benchmarks.seed import analyze, make_companion, make_relationships, remember, store_vectors
from benchmarks.timing import p50, p95, time_calls
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.questions import Participants, Prepared
from memory.retrieval.ranking import wanted_ranker
from memory.retrieval.results import EntryFilters
from memory.retrieval.search import search_entries
from providers.embeddings.base import Embedded
from relationships.models import Companion, Relationship

ENTRIES, TOP = 20, 20  # of each small tenant; of a search
CALLS = 60
MODEL = "drawn"
RETRIEVAL = Retrieval(top_k=TOP)


@dataclass(frozen=True, slots=True)
class Filled:
    """A relationship and what it holds, in one order."""

    relationship: Relationship
    entries: Sequence[ScratchpadEntry]
    vectors: draw.Vectors

    def search(self, text: str, vector: draw.Vectors) -> list[Any]:
        found = search_entries(
            project_id=self.relationship.project_id,
            relationship_id=self.relationship.id,
            text=text,
            retrieval=RETRIEVAL,
            ranker="cosine",
            now=timezone.now(),
            question=_asked(vector),
        )
        return [hit.id for hit in found.hits]


def tenants(setup: Setup) -> Section:
    count = setup.scale.tenants
    companion = make_companion("tenants")
    filled = [_fill(companion, f"tenant-{number}", seed=2 + number) for number in range(count)]
    analyze()
    return Section(
        "tenants",
        "Recall for every tenant",
        f"{count:,} relationships of {ENTRIES} entries, whose topics all share; {draw.DIMENSIONS} dimensions, seed "
        f"{draw.SEED}. A hundred of them, evenly from the first to the last, are searched by `cosine` and held against "
        "numpy over their own vectors.",
        _found_and_timed(filled),
    )


def _fill(companion: Companion, name: str, *, seed: int) -> Filled:
    (relationship,) = make_relationships(companion, [name])
    vectors = draw.topical(ENTRIES, seed=seed)
    entries = remember(relationship, draw.texts(ENTRIES, seed=seed))
    store_vectors(entries, vectors, model=MODEL)
    return Filled(relationship, entries, vectors)


def _asked(vector: draw.Vectors) -> Embedded:
    """A question's vector, as an embedder would have made it."""
    return Embedded(vector[None, :], MODEL, 0.0)


def _found_and_timed(filled: Sequence[Filled]) -> list[Figure]:
    few = [filled[place] for place in np.linspace(0, len(filled) - 1, 100, dtype=int)]
    vectors = draw.topical(len(few), seed=99_991)
    recalls = []
    for tenant, vector in zip(few, vectors, strict=True):
        nearest = np.argsort(-(tenant.vectors @ vector), kind="stable")[:TOP]
        wanted = [tenant.entries[place].id for place in nearest]
        found = tenant.search(tenant.entries[0].content, vector)
        recalls.append(len(set(found) & set(wanted)) / TOP)
    turns = cycle(zip(few, vectors, strict=True))

    def search() -> None:
        tenant, vector = next(turns)
        tenant.search(tenant.entries[0].content, vector)

    scoring = _scoring(few[0], vectors[0])
    one, searched, scored = time_calls(_select_one, search, scoring, times=CALLS)
    name = f"{len(filled):,} tenants"
    return [
        Figure(f"{name}: recall@{TOP}", float(np.mean(recalls)), goal=Goal(1.0, at_most=False)),
        Figure(f"{name}: SELECT 1, p50", p50(one), "ms"),
        Figure(f"{name}: scoring, p50", p50(scored), "ms"),
        Figure(f"{name}: search, p50", p50(searched), "ms"),
        Figure(f"{name}: search, p95", p95(searched), "ms"),
        Figure(
            f"{name}: (search - scoring) / SELECT 1",
            (p50(searched) - p50(scored)) / p50(one),
            "x",
            goal=Goal(4),
        ),
    ]


def _scoring(filled: Filled, vector: draw.Vectors) -> Callable[[], Any]:
    """The arithmetic of a search, over columns that were read before."""
    words, given = (filled.entries[0].content,), _asked(vector)
    _, ranking = pose(
        filled.relationship,
        SearchedKind.ENTRY,
        Prepared(words, words, given, ()),
        Participants("Maya", "Ada"),
        RETRIEVAL,
        EntryFilters(),
        ranker=wanted_ranker("cosine", RETRIEVAL, given=given),
    )
    return lambda: ranking.answer(0)


def _select_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
