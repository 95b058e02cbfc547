from datetime import datetime
from typing import ClassVar

import numpy as np

from memory.retrieval.fusion import fuse_ranks
from memory.retrieval.rankers.base import Candidates, Question, Ranker, Scores
from memory.retrieval.rankers.text import text_scores


class HybridRanker(Ranker):
    """score = 1 / (60 + rank by BM25) + 1 / (60 + rank by cosine): Reciprocal Rank Fusion as published, k = 60.

    (Cormack, Clarke and Buettcher 2009.) A row with none of the question's words has no rank by BM25, one without a
    vector none by cosine. Ranks are over all rows, so a filter leaves the scores as they are. Measured below `best`.
    """

    slug: ClassVar[str] = "hybrid"

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        text = text_scores(candidates, question)
        ranked = np.where(candidates.counted | candidates.allowed, text, 0.0)
        by_text, by_vector = fuse_ranks([np.where(ranked > 0, ranked, np.nan), candidates.cosine])
        total = by_text + by_vector
        return Scores(total=total, parts={"text": by_text, "vector": by_vector}, kept=total > 0)
