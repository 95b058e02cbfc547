"""The other rankers: each one formula, as it was published."""

from datetime import datetime
from typing import ClassVar

import numpy as np

from memory.retrieval.decay import half_lives, order_keys
from memory.retrieval.rankers.base import Bools, Candidates, Floats, Question, Ranker, Scores, order_of
from memory.retrieval.rankers.scoring import fuse_ranks, similarities, text_scores


class CosineRanker(Ranker):
    """score = cosine(question, row): the plain vector search of most memory services.

    A row without a vector yet is ranked by its words (`similarities`).
    """

    slug: ClassVar[str] = "cosine"
    needs_vectors: ClassVar[bool] = True

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        near = similarities(candidates, question)
        return Scores(total=near, parts={"similarity": near}, kept=np.ones(len(candidates), dtype=np.bool_))


class HybridRanker(Ranker):
    """score = 1 / (60 + rank by BM25) + 1 / (60 + rank by cosine): Reciprocal Rank Fusion as published, k = 60.

    (Cormack, Clarke and Buettcher 2009.) A row with none of the question's words has no rank by BM25, one without a
    vector none by cosine. Ranks are over all rows, so a filter leaves the scores as they are. Measured below `best`.
    """

    slug: ClassVar[str] = "hybrid"
    sums_text: ClassVar[bool] = True

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        text = text_scores(candidates, question)
        ranked = np.where(candidates.counted | candidates.allowed, text, 0.0)
        by_text, by_vector = fuse_ranks([np.where(ranked > 0, ranked, np.nan), candidates.cosine])
        total = by_text + by_vector
        return Scores(total=total, parts={"text": by_text, "vector": by_vector}, kept=total > 0)


class ImportanceRanker(Ranker):
    """score = similarity x importance x weight x hourly_decay ^ (hours since the last access, or since it was told).

    Only the `candidates` most similar rows that pass the filters are ranked; what scores less than `saliency_floor` is
    left out. As Emotion Machine published it for its first memory: 300 candidates, 0.995 per hour, the best 15. At
    0.995 half of a score is gone after 138 hours, so what was told long ago is rarely found; measured, such a product
    ruins recall over months (docs/reference/recall.md).
    """

    slug: ClassVar[str] = "importance"
    needs_vectors: ClassVar[bool] = True

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        retrieval = question.retrieval
        near = similarities(candidates, question)
        hours = np.maximum(0.0, now.timestamp() - candidates.touched) / 3600
        recency = retrieval.hourly_decay**hours
        total = near * candidates.importance * candidates.weight * recency
        parts = {
            "similarity": near,
            "importance": candidates.importance,
            "weight": candidates.weight,
            "recency": recency,
        }
        kept = _nearest(near, candidates.allowed, retrieval.candidates) & (total >= retrieval.saliency_floor)
        return Scores(total=total, parts=parts, kept=kept)


def _nearest(near: Floats, allowed: Bools, count: int) -> Bools:
    rows = np.flatnonzero(allowed)
    nearest = np.zeros(len(near), dtype=np.bool_)
    nearest[rows[order_of(near[rows])[:count]]] = True
    return nearest


class DecayRanker(Ranker):
    """score = similarity x importance x 2^(-age / half-life), the formula of pgmemai as it was published.

    A bare product: what is old must be far more similar to be found. On long conversations that ruins recall
    (docs/reference/recall.md); it suits what is only worth knowing for a while.

    Exact, in float8. A negative similarity ranks lower the more it weighs. A row without a vector is not found.

    After more than a thousand half-lives the score is 0, but rows are still ordered by the formula.
    """

    slug = "decay"
    needs_vectors = True

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        kept = ~np.isnan(candidates.cosine)
        similarity = np.where(kept, candidates.cosine, 0.0)
        half_life_days = question.retrieval.half_life_days
        age = half_lives(candidates.told, reference=now.timestamp(), half_life_days=half_life_days)
        recency = np.exp2(age)
        total = similarity * candidates.importance * recency
        parts = {"similarity": similarity, "importance": candidates.importance, "recency": recency}
        return Scores(total, parts, kept, order_keys(similarity, candidates.importance, age))
