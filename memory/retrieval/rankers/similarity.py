"""How near candidates are to the question, also where one has no vector yet. Pure arithmetic."""

import numpy as np

from memory.retrieval.rankers.base import Candidates, Floats, Question
from memory.retrieval.rankers.text import text_scores


def similarities(candidates: Candidates, question: Question) -> Floats:
    """The cosine of each row. One without a vector is held to be as near as its words say.

    That is its BM25 as a share of the best, times the best cosine: so what was just written is found at once.
    """
    missing = np.isnan(candidates.cosine)
    if not missing.any():
        return candidates.cosine
    text = text_scores(candidates, question)
    best_text = float(text.max(initial=0.0)) or 1.0
    known = candidates.cosine[~missing]
    best = max(0.0, float(known.max())) if len(known) else 1.0
    return np.where(missing, best * text / best_text, candidates.cosine)
