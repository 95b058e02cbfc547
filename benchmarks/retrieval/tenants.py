"""Is everything found, for the small tenants and the large one among them?"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from benchmarks.figures import Figure, Goal, Section
from benchmarks.retrieval import draw, seed
from benchmarks.retrieval.scale import Scale
from benchmarks.timing import percentile, time_calls
from memory.models import SearchedKind
from memory.retrieval.columns import Sought, read_columns
from memory.retrieval.configuration import Retrieval
from memory.retrieval.found import EntryFilters
from memory.retrieval.participants import Participants
from memory.retrieval.questions import Prepared
from memory.retrieval.ranking import Cut, Ranking, wanted_ranker
from memory.retrieval.search import search_entries
from relationships.models import Companion

ENTRIES, TOP = 20, 20
RETRIEVAL = Retrieval(ranker="cosine", top_k=TOP)
RANKERS = ("cosine", "hybrid", "best")


def measure(scale: Scale) -> Section:
    companion = seed.new_companion("tenants", {})
    figures: list[Figure] = []
    large = fill_new(companion, "large", scale.large, 1)
    seed.analyze()
    questions = questions_for(large, scale.questions)
    exact = {ranker: [_found(large, *asked, ranker) for asked in questions] for ranker in RANKERS}
    seed.make_large(large)
    tenants: list[seed.Filled] = []
    for count in scale.tenants:
        while len(tenants) < count:
            tenants.append(fill_new(companion, f"tenant-{len(tenants)}", ENTRIES, 2 + len(tenants)))
        seed.analyze()
        figures += _of_small(tenants, scale)
    for ranker in RANKERS:
        found = [_found(large, *asked, ranker) for asked in questions]
        recall = float(np.mean([draw.share_found(*pair) for pair in zip(found, exact[ranker], strict=True)]))
        # `hybrid` falls short of it: fusing ranks counts the last rank of 50,000 too, which a choice of them has not.
        figures.append(
            Figure(f"large ({scale.large:,}): {ranker}, recall@{TOP}", recall, goal=Goal(0.99, at_most=False))
        )
    return Section(
        "tenants",
        "Recall for every tenant",
        f"Relationships of {ENTRIES} entries, whose topics all share, and one of {scale.large:,}; {draw.DIMENSIONS} "
        f"dimensions, seed {draw.SEED}, {scale.questions} questions. The small are held against numpy over their own "
        "vectors, the large one against the same search before it had an index.",
        figures,
    )


def _of_small(tenants: Sequence[seed.Filled], scale: Scale) -> list[Figure]:
    few = [tenants[place] for place in np.linspace(0, len(tenants) - 1, 100, dtype=int)]
    vectors = draw.topical(len(few), seed=99_991)
    recalls = []
    for tenant, vector in zip(few, vectors, strict=True):
        wanted = [tenant.ids[place] for place in draw.top(tenant.vectors @ vector, TOP)]
        recalls.append(draw.share_found(_found(tenant, "", vector, "cosine"), wanted))
    turn = iter(range(10**9))

    def search() -> Any:
        place = next(turn) % len(few)
        return _found(few[place], "", vectors[place], "cosine")

    one, searched, scored = time_calls(_select_one, search, _scoring(few[0], vectors[0]), times=scale.calls)
    p50, scoring, select = (percentile(times, 0.5) for times in (searched, scored, one))
    name = f"{len(tenants):,} tenants"
    return [
        Figure(f"{name}: recall@{TOP}", float(np.mean(recalls)), goal=Goal(1.0, at_most=False)),
        Figure(f"{name}: SELECT 1, p50", select, "ms"),
        Figure(f"{name}: scoring, p50", scoring, "ms"),
        Figure(f"{name}: search, p50", p50, "ms"),
        Figure(f"{name}: search, p95", percentile(searched, 0.95), "ms"),
        Figure(f"{name}: (search - scoring) / SELECT 1", (p50 - scoring) / select, "x", goal=Goal(4)),
    ]


def fill_new(companion: Companion, name: str, count: int, number: int) -> seed.Filled:
    relationship = seed.new_relationship(companion, name)
    return seed.fill(
        relationship, draw.texts(count, seed=number), draw.topical(count, seed=number), seed=number
    )


def questions_for(filled: seed.Filled, count: int) -> list[tuple[str, draw.Vectors]]:
    places = np.random.default_rng(5).integers(0, len(filled.ids), count)
    vectors = draw.topical(count, seed=99_990)
    return [
        (draw.question_of(filled.texts[place]), vector) for place, vector in zip(places, vectors, strict=True)
    ]


def _found(filled: seed.Filled, text: str, vector: draw.Vectors, ranker: str) -> list[UUID]:
    found = search_entries(
        project_id=filled.relationship.project_id,
        relationship_id=filled.relationship.id,
        text=text or filled.texts[0],
        retrieval=RETRIEVAL,
        ranker=ranker,
        now=seed.NOW,
        question=seed.asked(vector),
    )
    return [hit.id for hit in found.hits]


def _scoring(filled: seed.Filled, vector: draw.Vectors) -> Any:
    """The arithmetic of a search, over columns that were read before."""
    vectors, text = seed.asked(vector), filled.texts[0]
    words = (text,)
    columns = read_columns(
        Sought(filled.relationship.id, SearchedKind.ENTRY, words, None, EntryFilters(), seed.NOW, vectors)
    )
    ranker = wanted_ranker("cosine", RETRIEVAL, given=vectors)
    prepared, people = Prepared(words, words, vectors, ()), Participants("Maya", "Ada")
    ranking = Ranking(columns, prepared, people, RETRIEVAL, ranker, Cut(TOP, None), seed.NOW)
    return lambda: ranking.answer(0)


def _select_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
