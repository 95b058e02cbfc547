"""Whether a search finds everything for each of many tenants, and how long it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from benchmarks.measures.setup import Setup, select_one
from benchmarks.measures.talks import texts
from benchmarks.report import Figure, Goal, Section
from benchmarks.seed import analyze, make_companion, make_relationships, remember, store_vectors
from benchmarks.timing import p50, p95, time_calls
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.columns import SearchQuery, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.questions import Participants, Prepared
from memory.retrieval.ranking import Cut, Ranking, wanted_ranker
from memory.retrieval.results import EntryFilters
from memory.retrieval.search import search_entries
from providers.embeddings.base import Embedded
from relationships.models import Companion, Relationship

ENTRIES, TOP = 20, 20  # entries of each tenant, results of a search
CALLS, ASKED = 60, 100  # searches that are timed, tenants whose recall is measured
MODEL = "drawn"
DIMENSIONS, SEED, TOPICS = 384, 7, 200
# Gives two entries on one topic a cosine of about .55, as MiniLM gives sentences about the same thing.
NOISE = 0.9
RETRIEVAL = Retrieval(top_k=TOP)
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tenant:
    """A relationship, its entries, and their vectors in the same order."""

    relationship: Relationship
    entries: Sequence[ScratchpadEntry]
    vectors: Vectors

    def search(self, vector: Vectors) -> list[Any]:
        found = search_entries(
            project_id=self.relationship.project_id,
            relationship_id=self.relationship.id,
            text=self.entries[0].content,
            retrieval=RETRIEVAL,
            ranker="cosine",
            now=timezone.now(),
            question=_embedded(vector),
        )
        return [hit.id for hit in found.hits]

    def recall(self, vector: Vectors) -> float:
        nearest = np.argsort(-(self.vectors @ vector), kind="stable")[:TOP]
        wanted = {self.entries[place].id for place in nearest}
        return len(wanted & set(self.search(vector))) / TOP


def tenants(setup: Setup) -> Section:
    count = setup.scale.tenants
    companion = make_companion("tenants")
    filled = [_fill(companion, number) for number in range(count)]
    analyze()
    few = [filled[place] for place in np.linspace(0, count - 1, ASKED, dtype=int)]
    vectors = topical(ASKED, seed=99_991)
    recall = float(np.mean([tenant.recall(vector) for tenant, vector in zip(few, vectors, strict=True)]))
    turns = cycle(zip(few, vectors, strict=True))

    def search() -> None:
        tenant, vector = next(turns)
        tenant.search(vector)

    one, searched, scored = time_calls(select_one, search, _scoring(few[0], vectors[0]), times=CALLS)
    ratio = (p50(searched) - p50(scored)) / p50(one)
    return Section(
        f"Recall for every one of {count:,} tenants",
        f"{count:,} relationships of {ENTRIES} entries, whose topics all share; {DIMENSIONS} dimensions, seed "
        f"{SEED}. A hundred of them, evenly from the first to the last, are searched by `cosine` and held against "
        "numpy over their own vectors.",
        [
            Figure(f"recall@{TOP}", recall, goal=Goal(1.0, at_most=False)),
            Figure("SELECT 1, p50", p50(one), "ms"),
            Figure("scoring, p50", p50(scored), "ms"),
            Figure("search, p50", p50(searched), "ms"),
            Figure("search, p95", p95(searched), "ms"),
            Figure("(search - scoring) / SELECT 1", ratio, "x", Goal(4)),
        ],
    )


def _fill(companion: Companion, number: int) -> Tenant:
    (relationship,) = make_relationships(companion, [f"tenant-{number}"])
    vectors = topical(ENTRIES, seed=2 + number)
    entries = remember(relationship, texts(ENTRIES, seed=2 + number))
    store_vectors(entries, vectors, model=MODEL)
    return Tenant(relationship, entries, vectors)


def _scoring(tenant: Tenant, vector: Vectors) -> Callable[[], Any]:
    """The arithmetic of a search, on columns that are already read."""
    words, vectors, now = (tenant.entries[0].content,), _embedded(vector), timezone.now()
    query = SearchQuery(
        tenant.relationship.id, SearchedKind.ENTRY, words, RETRIEVAL.language, EntryFilters(), now, vectors
    )
    prepared, participants = Prepared(words, words, vectors, ()), Participants("Maya", "Ada")
    ranker = wanted_ranker("cosine", RETRIEVAL, given=vectors)
    ranking = Ranking(read_columns(query), prepared, participants, RETRIEVAL, ranker, Cut(TOP, None), now)
    return lambda: ranking.answer(0)


def _embedded(vector: Vectors) -> Embedded:
    return Embedded(vector[None, :], MODEL, 0.0)


def topical(count: int, *, seed: int) -> Vectors:
    """Unit vectors around TOPICS topics, which are the same for every seed."""
    centres = _units(np.random.default_rng(SEED).standard_normal((TOPICS, DIMENSIONS)))
    random = np.random.default_rng([SEED, seed])
    noise = random.standard_normal((count, DIMENSIONS)) * (NOISE / np.sqrt(DIMENSIONS))
    return _units(centres[random.integers(0, TOPICS, count)] + noise)


def _units(drawn: NDArray[Any]) -> Vectors:
    """Normalise, and round to the precision in which vectors are stored."""
    units = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return units.astype(np.float16).astype(np.float32)  # type: ignore[no-any-return]
