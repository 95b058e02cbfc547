"""Similarity x importance x 2^(-age / half-life), the formula of pgmemai as it was published.

A bare product: what is old has to be far more similar to be found. On long conversations that ruins recall; it
suits what is only worth knowing for a while.
"""

from datetime import datetime

import numpy as np

from memory.retrieval.decay.weights import half_lives, order_keys
from memory.retrieval.rankers.base import Candidates, Question, Ranker, Scores


class DecayRanker(Ranker):
    """Exact, in float8. A negative similarity ranks lower the more it weighs. Without a vector nothing is found.

    What is over a thousand half-lives old has a score of 0, and is ordered by the formula all the same.
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
