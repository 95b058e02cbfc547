"""Hybrid ranking of chunks: BM25 and cosine, each by its rank, made into one (RRF, k = 60). Pure arithmetic."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from context.knowledge.columns import Columns, Floats
from memory.retrieval.rankers.base import order_of
from memory.retrieval.rankers.scoring import bm25, fuse_ranks, inverse_document_frequency, length_norm

TEXT, VECTOR = "text", "vector"


@dataclass(frozen=True, slots=True)
class Ranked:
    """Places of the rows that may be found, best first, and every row's figures."""

    order: NDArray[np.int64]
    total: Floats
    parts: dict[str, Floats]


def rank_chunks(
    columns: Columns, *, min_score: float | None = None, min_similarity: float | None = None
) -> Ranked:
    """SearchResult is what shares a word with the question, or has a vector that is near enough to it.

    `parts`: what text and vector give by their ranks, and the `bm25` and `cosine` behind them (NaN: none).
    """
    rows = len(columns.ids)
    documents = np.bincount(columns.term, minlength=columns.terms).astype(np.float64)
    scores = bm25(
        row=columns.row,
        term=columns.term,
        count=columns.count,
        idf=inverse_document_frequency(documents, rows),
        norm=length_norm(columns.length, float(columns.length.mean()) if rows else 1.0),
    )
    worded = np.zeros(rows, dtype=np.bool_)
    worded[columns.row] = True
    by_text = np.where(worded, scores, np.nan)
    floor = -np.inf if min_similarity is None else min_similarity
    near = ~np.isnan(columns.cosine) & (columns.cosine >= floor)
    by_vector = np.where(worded | near, columns.cosine, np.nan)
    text, vector = fuse_ranks([by_text, by_vector])
    total = text + vector
    kept = (total > 0) & (total >= (min_score or 0.0))
    order = order_of(total)
    return Ranked(
        order=order[kept[order]],
        total=total,
        parts={TEXT: text, VECTOR: vector, "bm25": by_text, "cosine": columns.cosine},
    )
