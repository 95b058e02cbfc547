"""When does one scan of the fold find what the formula would? By the shape of the vectors and the span of the ages."""

from collections.abc import Callable
from time import perf_counter

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray
from pgvector import Vector

from benchmarks.figures import Figure, Goal, Section
from benchmarks.retrieval import draw
from benchmarks.retrieval.scale import Scale
from benchmarks.timing import percentile
from memory.retrieval.decay.weights import fold, log_weights
from memory.retrieval.large.nearest import EF_SEARCH, FETCH

TOP = 10
EF = (40, 100, 200, 400)
SHAPES: dict[str, Callable[..., draw.Vectors]] = {"topical": draw.topical, "isotropic": draw.isotropic}
SPANS = (0.5, 3.0, 12.0)  # half-lives from the newest entry to the oldest

_SCAN = f"""
SELECT id FROM bench_fold ORDER BY vector::vector({draw.DIMENSIONS}) <#> %s::vector({draw.DIMENSIONS}) LIMIT %s
"""

Floats = NDArray[np.float64]


def measure(scale: Scale) -> Section:
    figures: list[Figure] = []
    for shape, drawn in SHAPES.items():
        vectors, questions = drawn(scale.folds), drawn(scale.questions, seed=99_990)
        similarity = questions.astype(np.float64) @ vectors.T.astype(np.float64)
        for span in SPANS:
            scores = similarity * np.exp(_store(vectors, span))[None, :]
            figures += _recalls(f"{shape}, {span:g} half-lives", questions, scores, shape)
    return Section(
        "decay",
        "The fold of decay",
        f"{scale.folds:,} folds of {draw.DIMENSIONS} dimensions, seed {draw.SEED}, importance .2 to 1, an "
        f"inner-product HNSW index with pgvector's defaults; {scale.questions} questions, recall@{TOP} against the "
        f"formula over every row. `ef n`: the scan's first {TOP}. Ours: ef {EF_SEARCH}, {FETCH} fetched by an "
        "iterative scan, ranked by the formula. Topical vectors gather round 200 topics, as texts do; isotropic ones "
        "lie in all directions alike.",
        figures,
    )


def _store(vectors: draw.Vectors, span: float) -> Floats:
    """Fold them and make the index; the log weight of each."""
    random = np.random.default_rng([draw.SEED, 11])
    importance, told = random.uniform(0.2, 1, len(vectors)), random.uniform(-span, 0, len(vectors)) * 86_400
    weights = log_weights(importance, told, reference=0.0, half_life_days=1.0)
    folds = fold(vectors, weights)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_fold")
        cursor.execute("CREATE TABLE bench_fold (id int, vector vector)")
        with cursor.copy("COPY bench_fold FROM STDIN") as copy:
            for place, row in enumerate(folds):
                copy.write_row((place, Vector(row).to_text()))
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute(
            f"CREATE INDEX ON bench_fold USING hnsw ((vector::vector({draw.DIMENSIONS})) vector_ip_ops)"
        )
        cursor.execute("ANALYZE bench_fold")
    return weights


def _recalls(name: str, questions: draw.Vectors, scores: Floats, shape: str) -> list[Figure]:
    wanted = [draw.top(row, TOP) for row in scores]
    figures = []
    for ef in EF:
        found = [_scan(question, ef=ef, fetch=TOP, iterative="off")[0] for question in questions]
        figures.append(Figure(f"{name}: ef {ef}", _recall(found, wanted)))
    ranked, times = [], []
    for question, row in zip(questions, scores, strict=True):
        found_ids, milliseconds = _scan(question, ef=EF_SEARCH, fetch=FETCH, iterative="relaxed_order")
        ranked.append([found_ids[place] for place in draw.top(row[found_ids], TOP)])
        times.append(milliseconds)
    # What no text looks like is shown without a goal.
    goal = Goal(0.99, at_most=False) if shape == "topical" else None
    figures.append(Figure(f"{name}: ours", _recall(ranked, wanted), goal=goal))
    figures.append(Figure(f"{name}: ours, p50", percentile(times, 0.5), "ms"))
    return figures


def _scan(question: draw.Vectors, *, ef: int, fetch: int, iterative: str) -> tuple[list[int], float]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('hnsw.ef_search', %s, true), set_config('hnsw.iterative_scan', %s, true),"
            " set_config('enable_seqscan', 'off', true)",
            [str(ef), iterative],
        )
        began = perf_counter()
        cursor.execute(_SCAN, [Vector(question).to_text(), fetch])
        ids = [row[0] for row in cursor.fetchall()]
        return ids, (perf_counter() - began) * 1000


def _recall(found: list[list[int]], wanted: list[list[int]]) -> float:
    return float(np.mean([draw.share_found(*pair) for pair in zip(found, wanted, strict=True)]))
