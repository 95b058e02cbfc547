"""The default ranker: what measured best, with every part of it justified by its own measurement."""

from datetime import UTC, datetime
from typing import ClassVar

import numpy as np

from memory.retrieval.dates import Period
from memory.retrieval.rankers.base import Candidates, Floats, Question, Ranker, Scores
from memory.retrieval.rankers.neighbours import Neighbours
from memory.retrieval.rankers.text import mean_length, spread_text_scores

# Chosen on LoCoMo (docs/reference/recall.md); no setting of a wide grid round them falls below the goals.
VECTOR = 1.2
NAMED, LENGTH, DATE = 0.4, 0.1, 0.4
VECTOR_KERNEL, VECTOR_REACH = 0.3, 2
_NARROWEST = 1e-9  # between the mean cosine and the best, below which all are equal
_DAY_SECONDS = 86_400.0


class BestRanker(Ranker):
    """score = (text + 1.2 vector) / 2.2 + 0.4 named + 0.1 length + 0.4 date (+ recency, bounded, if asked for).

    text     BM25 with the neighbours' words counted in, as a share of the best
    vector   the cosine, averaged with near neighbours', as a share of the way from the relationship's mean to the
             best: embedders differ in where their cosines lie. A row without a vector stands by its text
    named    1 if its speaker or subject is named in the question
    length   ln of its length over the mean length, messages only: "Wow, great!" is never the evidence
    date     how near to a date that the question names it was told (memory/retrieval/dates.py)
    recency  retrieval.recency x the best score x 2^(-age / half_life_days)

    With no vectors: score = text + the same. Entries have no neighbours and no length part. What shares neither a
    word nor a date with the question, and has no vector, is not found. The design and what else was tried:
    docs/adr/0015-a-ranker-of-sums.md
    """

    slug: ClassVar[str] = "best"

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        text = _shares(spread_text_scores(candidates, question))
        vector = _vector_part(candidates, text)
        date = _date_part(candidates, question.periods)
        kept = (text > 0) | (date > 0) | ~np.isnan(candidates.cosine)
        share = 1.0 if vector is None else 1 / (1 + VECTOR)
        parts: dict[str, Floats] = {"text": share * text}
        if vector is not None:
            parts["vector"] = VECTOR / (1 + VECTOR) * vector
        parts["named"] = np.where(candidates.named, NAMED, 0.0)
        if (candidates.session >= 0).any():
            parts["length"] = LENGTH * _length_part(candidates)
        if question.periods:
            parts["date"] = DATE * date
        if question.retrieval.recency:
            parts["recency"] = _recency_part(candidates, question, now, sum_of(parts))
        return Scores(total=sum_of(parts), parts=parts, kept=kept)


def sum_of(parts: dict[str, Floats]) -> Floats:
    total: Floats = np.sum(list(parts.values()), axis=0)
    return total


def _shares(scores: Floats) -> Floats:
    return scores / (float(scores.max(initial=0.0)) or 1.0)


def _vector_part(candidates: Candidates, text: Floats) -> Floats | None:
    """None: no row has a vector."""
    cosine = Neighbours(candidates.session, kernel=VECTOR_KERNEL, reach=VECTOR_REACH).mean(candidates.cosine)
    known = ~np.isnan(cosine)
    if not known.any():
        return None
    mean = _mean_cosine(candidates, cosine)
    width = float(cosine[known].max()) - mean
    near = np.maximum(0.0, (cosine - mean) / (width if width > _NARROWEST else 1.0))
    return np.where(known, near, text)


def _mean_cosine(candidates: Candidates, cosine: Floats) -> float:
    if candidates.statistics is not None:
        return candidates.statistics.mean_cosine
    counted = candidates.counted & ~np.isnan(cosine)
    return float(cosine[counted].mean()) if counted.any() else 0.0


def _date_part(candidates: Candidates, periods: tuple[Period, ...]) -> Floats:
    """By the day in UTC on which each row was told; few days are told of in many rows."""
    if not periods or not len(candidates):
        return np.zeros(len(candidates))
    days, row_day = np.unique(np.floor(candidates.told / _DAY_SECONDS), return_inverse=True)
    nearness = [_nearness(day * _DAY_SECONDS, periods) for day in days]
    part: Floats = np.array(nearness)[row_day]
    return part


def _nearness(moment: float, periods: tuple[Period, ...]) -> float:
    told = datetime.fromtimestamp(moment, UTC).date()
    return max(period.nearness(told) for period in periods)


def _length_part(candidates: Candidates) -> Floats:
    part: Floats = np.log((candidates.length + 1) / (mean_length(candidates) + 1))
    return part


def _recency_part(candidates: Candidates, question: Question, now: datetime, total: Floats) -> Floats:
    retrieval = question.retrieval
    days = np.maximum(0.0, now.timestamp() - candidates.told) / _DAY_SECONDS
    best = max(0.0, float(total[candidates.counted].max(initial=0.0)))
    part: Floats = retrieval.recency * best * 2 ** (-days / retrieval.half_life_days)
    return part
