"""The default ranker, which measured best. Each of its parts is justified by a measurement."""

from datetime import UTC, datetime
from functools import reduce
from typing import ClassVar

import numpy as np

from memory.dates import Period
from memory.retrieval.decay import SECONDS_A_DAY
from memory.retrieval.rankers.base import Candidates, Floats, Question, Ranker, Scores
from memory.retrieval.rankers.scoring import Neighbours, mean_over, spread_text_scores
from memory.retrieval.relative_dates import Days

# The weight of each part. Chosen on LoCoMo (docs/reference/recall.md); no setting in a wide grid around these falls
# below the goals.
VECTOR, NAMED, LENGTH, DATE = 1.2, 0.4, 0.1, 0.4  # relative to 1 for the text
# The weights of a neighbour's words and cosine by its distance, and how far neighbours reach.
KERNEL, REACH = 0.6, 4
VECTOR_KERNEL, VECTOR_REACH = 0.3, 2
_NARROWEST = 1e-9  # difference between the mean cosine and the best, below which all are equal


class BestRanker(Ranker):
    """score = (text + 1.2 vector) / 2.2 + 0.4 named + 0.1 length + 0.4 date (+ recency, bounded, if asked for).

    text     BM25 with the neighbours' words counted in, as a share of the best. If only similar words were found, it
             is less than 1, as each of them counts
    vector   the cosine, averaged with near neighbours', as a share of the way from the relationship's mean to the
             best: embedders differ in where their cosines lie. A row without a vector stands by its text
    named    1 if its speaker or subject is named in the question
    length   ln of its length over the mean length, at most 1, messages only: "Wow, great!" is never the evidence
    date     how near to a time that the question names it was told (memory/dates.py, relative_dates.py)
    recency  retrieval.recency x the best score x 2^(-age / half_life_days)

    With no vectors: score = text + the same. Entries have no neighbours and no length part. What shares neither a
    word nor a date with the question, and has no vector, is not found. The design and what else was tried:
    docs/adr/0015-a-ranker-of-sums.md
    """

    slug: ClassVar[str] = "best"
    sums_text: ClassVar[bool] = True

    def rank(self, candidates: Candidates, question: Question, now: datetime) -> Scores:
        near = Neighbours(candidates.session, candidates.told, kernel=KERNEL, reach=REACH)
        said = min(1.0, float(candidates.counts.count.max(initial=0.0)))
        text = said * _shares(spread_text_scores(candidates, question, near))
        date = _date_part(candidates, question.periods)
        kept = (text > 0) | (date > 0) | ~np.isnan(candidates.cosine)
        parts = _similarity(candidates, text)
        parts["named"] = np.where(candidates.named, NAMED, 0.0)
        if (candidates.session >= 0).any():
            parts["length"] = LENGTH * _length_part(candidates)
        if question.periods:
            parts["date"] = DATE * date
        if question.retrieval.recency:
            parts["recency"] = _recency_part(candidates, question, now, sum_of(parts))
        return Scores(total=sum_of(parts), parts=parts, kept=kept)


def sum_of(parts: dict[str, Floats]) -> Floats:
    return reduce(np.add, parts.values())


def _similarity(candidates: Candidates, text: Floats) -> dict[str, Floats]:
    if not candidates.has_vectors:
        return {"text": text}
    near = Neighbours(candidates.session, candidates.told, kernel=VECTOR_KERNEL, reach=VECTOR_REACH)
    cosine = near.mean(candidates.cosine)
    vector = np.where(np.isnan(cosine), text, _above_mean(candidates, cosine))
    share = VECTOR / (1 + VECTOR)
    return {"text": (1 - share) * text, "vector": share * vector}


def _shares(scores: Floats) -> Floats:
    return scores / (float(scores.max(initial=0.0)) or 1.0)


def _above_mean(candidates: Candidates, cosine: Floats) -> Floats:
    """Cosines as shares of the way from the relationship's mean to the best; NaN stays NaN."""
    mean = mean_over(cosine, candidates.counted & ~np.isnan(cosine))
    width = float(np.nanmax(cosine)) - mean
    return np.maximum((cosine - mean) / (width if width > _NARROWEST else 1.0), 0.0)


def _date_part(candidates: Candidates, periods: tuple[Period | Days, ...]) -> Floats:
    """The part `date`, computed by day (UTC), as many rows share few days."""
    if not periods or not len(candidates):
        return np.zeros(len(candidates))
    days, row_day = np.unique(np.floor(candidates.told / SECONDS_A_DAY), return_inverse=True)
    nearness = [_nearness(day * SECONDS_A_DAY, periods) for day in days]
    part: Floats = np.array(nearness)[row_day]
    return part


def _nearness(moment: float, periods: tuple[Period | Days, ...]) -> float:
    told = datetime.fromtimestamp(moment, UTC).date()
    return max(period.nearness(told) for period in periods)


def _length_part(candidates: Candidates) -> Floats:
    mean = mean_over(candidates.length, candidates.counted)
    part: Floats = np.log((candidates.length + 1) / (mean + 1))
    return np.minimum(part, 1.0)  # a pasted log is no better evidence than a long message


def _recency_part(candidates: Candidates, question: Question, now: datetime, total: Floats) -> Floats:
    retrieval = question.retrieval
    days = np.maximum(0.0, now.timestamp() - candidates.told) / SECONDS_A_DAY
    best = max(0.0, float(total[candidates.counted].max(initial=0.0)))
    part: Floats = retrieval.recency * best * 2 ** (-days / retrieval.half_life_days)
    return part
