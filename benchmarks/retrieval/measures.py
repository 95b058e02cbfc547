"""Is everything found for every one of many tenants, and how long does a search take by size?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone
from pgvector import HalfVector

from benchmarks.recall.evidence import pose
from benchmarks.report import Figure, Goal, Section
from benchmarks.retrieval import draw
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
MODEL = "drawn"
RETRIEVAL = Retrieval(top_k=TOP)
_PLAIN = """
SELECT owner_id FROM memory_embedding
 WHERE relationship_id = %s AND kind = 'entry' AND model = %s AND dimensions = %s
 ORDER BY vector <=> %s::halfvec LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Scale:
    """`tenants`: small relationships of ENTRIES each, in turn. `sizes`: of the relationships whose search is timed."""

    tenants: tuple[int, ...]
    sizes: tuple[int, ...]
    questions: int
    calls: int


SHORT = Scale((1000,), (500, 5000, 20_000), 50, 60)
LONG = Scale((1000, 5000), (500, 5000, 50_000), 100, 200)
SMOKE = Scale((20,), (50, 100), 5, 20)


@dataclass(frozen=True, slots=True)
class Filled:
    """A relationship and what it holds, in one order."""

    relationship: Relationship
    entries: Sequence[ScratchpadEntry]
    vectors: draw.Vectors

    def search(self, ranker: str, text: str, vector: draw.Vectors) -> list[Any]:
        found = search_entries(
            project_id=self.relationship.project_id,
            relationship_id=self.relationship.id,
            text=text,
            retrieval=RETRIEVAL,
            ranker=ranker,
            now=timezone.now(),
            question=_asked(vector),
        )
        return [hit.id for hit in found.hits]


def tenants(scale: Scale) -> Section:
    companion = make_companion("tenants")
    figures: list[Figure] = []
    filled: list[Filled] = []
    for count in scale.tenants:
        while len(filled) < count:
            filled.append(_fill(companion, f"tenant-{len(filled)}", ENTRIES, seed=2 + len(filled)))
        analyze()
        figures += _found_and_timed(filled, scale)
    return Section(
        "tenants",
        "Recall for every tenant",
        f"Relationships of {ENTRIES} entries, whose topics all share; {draw.DIMENSIONS} dimensions, seed {draw.SEED}. "
        "A hundred of them, evenly from the first to the last, are searched by `cosine` and held against numpy over "
        "their own vectors.",
        figures,
    )


def speed(scale: Scale) -> Section:
    companion = make_companion("speed")
    figures: list[Figure] = []
    for number, size in enumerate(scale.sizes):
        filled = _fill(companion, f"speed-{size}", size, seed=1_000_000 + number)
        analyze()
        figures += _timed(f"{size:,} entries", filled, scale)
    return Section(
        "speed",
        "Search by size",
        f"search_entries with `best` and `cosine`, the question's vector given, top {TOP}, beside a statement that "
        "orders by cosine and brings IDs. They take turns.",
        figures,
    )


MEASURES: dict[str, Callable[[Scale], Section]] = {"tenants": tenants, "speed": speed}


def _fill(companion: Companion, name: str, count: int, *, seed: int) -> Filled:
    (relationship,) = make_relationships(companion, [name])
    vectors = draw.topical(count, seed=seed)
    entries = remember(relationship, draw.texts(count, seed=seed))
    store_vectors(entries, vectors, model=MODEL)
    return Filled(relationship, entries, vectors)


def _asked(vector: draw.Vectors) -> Embedded:
    """A question's vector, as an embedder would have made it."""
    return Embedded(vector[None, :], MODEL, draw.DIMENSIONS, MODEL, None, 0.0, None)


def _found_and_timed(filled: Sequence[Filled], scale: Scale) -> list[Figure]:
    few = [filled[place] for place in np.linspace(0, len(filled) - 1, 100, dtype=int)]
    vectors = draw.topical(len(few), seed=99_991)
    recalls = []
    for tenant, vector in zip(few, vectors, strict=True):
        nearest = np.argsort(-(tenant.vectors @ vector), kind="stable")[:TOP]
        wanted = [tenant.entries[place].id for place in nearest]
        recalls.append(draw.share_found(tenant.search("cosine", tenant.entries[0].content, vector), wanted))
    turns = cycle(zip(few, vectors, strict=True))

    def search() -> None:
        tenant, vector = next(turns)
        tenant.search("cosine", tenant.entries[0].content, vector)

    calls = _select_one, search, _scoring(few[0], vectors[0])
    one, searched, scored = time_calls(*calls, times=scale.calls)
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


def _timed(name: str, filled: Filled, scale: Scale) -> list[Figure]:
    places = np.random.default_rng(5).integers(0, len(filled.entries), scale.questions)
    questions = [draw.question_of(filled.entries[place].content) for place in places]
    pairs = list(zip(questions, draw.topical(scale.questions, seed=99_990), strict=True))
    calls = {
        "plain cosine": partial(_plain, filled),
        "cosine": partial(filled.search, "cosine"),
        "best": partial(filled.search, "best"),
    }
    turns = {what: cycle(pairs) for what in calls}
    times = max(20, min(scale.calls, 2_000_000 // len(filled.entries)))
    taken = time_calls(
        *(lambda what=what, call=call: call(*next(turns[what])) for what, call in calls.items()), times=times
    )
    figures: list[Figure] = []
    for what, milliseconds in zip(calls, taken, strict=True):
        figures.append(Figure(f"{name}: {what}, p50", p50(milliseconds), "ms"))
        figures.append(Figure(f"{name}: {what}, p95", p95(milliseconds), "ms"))
        if what != "plain cosine":
            ratio = p50(milliseconds) / p50(taken[0])
            figures.append(Figure(f"{name}: {what} / plain cosine, p50", ratio, "x"))
    return figures


def _plain(filled: Filled, text: str, vector: draw.Vectors) -> None:
    given = HalfVector(vector).to_text()
    with connection.cursor() as cursor:
        cursor.execute(_PLAIN, [filled.relationship.id, MODEL, draw.DIMENSIONS, given, TOP])
        cursor.fetchall()


def _select_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
