from datetime import datetime
from typing import ClassVar

import numpy as np

from memory.retrieval.rankers.base import Candidates, Question, Ranker, Scores
from memory.retrieval.rankers.similarity import similarities


class CosineRanker(Ranker):
    """score = cosine(question, row): the plain vector search of most memory services.

    A row without a vector yet stands by its words (`similarities`).
    """

    slug: ClassVar[str] = "cosine"
    needs_vectors: ClassVar[bool] = True

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        near = similarities(candidates, question)
        return Scores(total=near, parts={"similarity": near}, kept=np.ones(len(candidates), dtype=np.bool_))
