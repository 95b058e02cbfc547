from datetime import datetime
from typing import ClassVar

import numpy as np

from memory.retrieval.fusion import order_of
from memory.retrieval.rankers.base import Bools, Candidates, Floats, Question, Ranker, Scores
from memory.retrieval.rankers.similarity import similarities


class ImportanceRanker(Ranker):
    """score = similarity x importance x weight x hourly_decay ^ (hours since the last access, or since it was told).

    The `candidates` nearest that pass the filters are ranked so; what scores less than `saliency_floor` is left out.
    As Emotion Machine published it for its first memory: 300 candidates, 0.995 an hour, the best 15. At 0.995 half of
    a score is gone after 138 hours, so what was told long ago is rarely found; measured, such a product ruins recall
    over months (docs/reference/recall.md).
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
