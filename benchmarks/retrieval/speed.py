"""How long a search takes, by the size of its relationship."""

from functools import partial
from typing import Any

from django.db import connection
from pgvector import HalfVector

from benchmarks.figures import Figure, Section
from benchmarks.retrieval import draw, seed
from benchmarks.retrieval.scale import Scale
from benchmarks.retrieval.tenants import fill_new, questions_for
from benchmarks.timing import percentile, time_calls
from memory.retrieval.configuration import Retrieval
from memory.retrieval.search import search_entries

TOP = 20
RETRIEVAL = Retrieval(ranker="best", top_k=TOP)
_PLAIN = """
SELECT owner_id FROM memory_embedding
 WHERE relationship_id = %s AND kind = 'entry' AND model = %s AND dimensions = %s
 ORDER BY vector <=> %s::halfvec LIMIT %s
"""


def measure(scale: Scale) -> Section:
    companion = seed.new_companion("speed", {})
    figures: list[Figure] = []
    for number, size in enumerate(scale.sizes):
        filled = fill_new(companion, f"speed-{size}", size, 1_000_000 + number)
        seed.analyze()
        figures += _timed(f"{size:,} entries", filled, scale)
        if size == max(scale.sizes):
            seed.make_large(filled)
            figures += _timed(f"{size:,} entries, indexed", filled, scale)
    return Section(
        "speed",
        "Search by size",
        f"search_entries with `best` and `cosine`, the question's vector given, top {TOP}, beside a statement that "
        "orders by cosine and brings IDs. They take turns. Indexed: as a large relationship has it.",
        figures,
    )


def _timed(name: str, filled: seed.Filled, scale: Scale) -> list[Figure]:
    questions = questions_for(filled, scale.questions)
    calls = {
        "plain cosine": partial(_plain, filled),
        "cosine": partial(_search, filled, "cosine"),
        "best": partial(_search, filled, "best"),
    }
    turns = {what: iter(questions * scale.calls) for what in calls}
    times = max(20, min(scale.calls, 2_000_000 // max(1, len(filled.ids))))
    taken = time_calls(
        *(lambda what=what, call=call: call(*next(turns[what])) for what, call in calls.items()), times=times
    )
    plain = percentile(taken[0], 0.5)
    figures: list[Figure] = []
    for what, milliseconds in zip(calls, taken, strict=True):
        p50 = percentile(milliseconds, 0.5)
        figures += [
            Figure(f"{name}: {what}, p50", p50, "ms"),
            Figure(f"{name}: {what}, p95", percentile(milliseconds, 0.95), "ms"),
        ]
        if what != "plain cosine":
            figures.append(Figure(f"{name}: {what} / plain cosine, p50", p50 / plain, "x"))
    return figures


def _plain(filled: seed.Filled, text: str, vector: draw.Vectors) -> list[Any]:
    values: list[Any] = [
        filled.relationship.id,
        seed.MODEL,
        draw.DIMENSIONS,
        HalfVector(vector).to_text(),
        TOP,
    ]
    with connection.cursor() as cursor:
        cursor.execute(_PLAIN, values)
        rows: list[Any] = cursor.fetchall()
    return rows


def _search(filled: seed.Filled, ranker: str, text: str, vector: draw.Vectors) -> Any:
    return search_entries(
        project_id=filled.relationship.project_id,
        relationship_id=filled.relationship.id,
        text=text,
        retrieval=RETRIEVAL,
        ranker=ranker,
        now=seed.NOW,
        question=seed.asked(vector),
    )
