"""The parts of rankers. Pure arithmetic: BM25, the words of a question in the candidates, neighbours, fusion.

BM25 uses the relationship's own statistics (Robertson and Zaragoza 2009). PostgreSQL's ts_rank does not replace it: it
knows neither how rare a word is nor how long the texts are.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from memory.retrieval.rankers.base import Bools, Candidates, Counts, Floats, Ints, Question, order_of

K1, B = 1.2, 0.75  # the usual ones; measured, any k1 of .8 to 4 with b of .3 to .9 stays within .8 points
PAUSE = 7200.0  # seconds
RRF_K = 60  # as published (Cormack, Clarke and Buettcher 2009)
WORDS_AT_ONCE = 64  # of a question: a table of all its words and rows could take more memory than there is


def inverse_document_frequency(documents: Floats, rows: int) -> Floats:
    """The idf of each term, from the number of `rows` in which it occurs; never negative (Lucene's form)."""
    return np.log1p((rows - documents + 0.5) / (documents + 0.5))


def length_norm(length: Floats, mean: float) -> Floats:
    """What a count is normalised by in each row: more in a row longer than the mean."""
    return K1 * (1 - B + B * length / (mean or 1.0))


def bm25(*, row: Ints, term: Ints, count: Floats, idf: Floats, norm: Floats) -> Floats:
    """The score of every row: sum over its terms of idf x count x (k1 + 1) / (count + norm).

    `row`, `term` and `count` have equal length, with each pair of row and term at most once; `idf` is by term and
    `norm` by row.
    """
    gained = idf[term] * count * (K1 + 1) / (count + norm[row])
    scores: Floats = np.bincount(row, weights=gained, minlength=len(norm)).astype(np.float64)
    return scores


class Neighbours:
    """Gives a row's values to those before and after it in the same session, fading by `kernel` ** distance.

    What was said PAUSE later is half as near, and what was said on another day hardly at all: people answer what was
    just said, and a session may last for years. Rows without a session (-1) have no neighbours; `alone`: no row has a
    session. `told` is in seconds.
    """

    def __init__(self, session: Ints, told: Floats, *, kernel: float, reach: int) -> None:
        self._kernel = kernel
        self.alone = bool((session < 0).all())
        # the rows of a session together, in the order they were told
        self._order = np.argsort(session, kind="stable")
        self._back = np.empty_like(self._order)
        self._back[self._order] = np.arange(len(session))
        self._session, self._told = session[self._order], told[self._order]
        self._steps = np.arange(1, min(reach, len(session) - 1) + 1)[:, None]

    def spread(self, values: Floats) -> Floats:
        """Sums of each row's own value and its neighbours', faded."""
        if self.alone:
            return values
        own = values[self._order]
        total = own.copy()
        for distance, near in enumerate(self._nearness, start=1):
            total[distance:] += own[:-distance] * near[:-distance]
            total[:-distance] += own[distance:] * near[:-distance]
        spread: Floats = total[self._back]
        return spread

    def spread_counts(self, counts: Counts, terms: int) -> Counts:
        """The same for counts, term by term. Zeros cost nothing, and most words occur in few rows."""
        rows, place, steps, near = len(self._session), self._back[counts.row], self._steps, self._nearness
        after, before = (
            np.minimum(place + steps, rows - 1),
            np.maximum(place - steps, 0),
        )  # near is 0 beyond an end
        where = np.concatenate([place[None], after, before])
        share = np.concatenate([np.ones((1, len(place))), near[:, place], near[steps - 1, place - steps]])
        cell, gained = where + counts.term * rows, share * counts.count
        table = np.bincount(cell.ravel(), weights=gained.ravel(), minlength=terms * rows).astype(np.float64)
        filled = np.flatnonzero(table)
        term, place = np.divmod(filled, rows)
        return Counts(row=self._order[place], term=term, count=table[filled])

    def mean(self, values: Floats) -> Floats:
        """Weighted means of each row's own value and its neighbours'; NaN counts as not there, and stays NaN."""
        known = ~np.isnan(values)
        if self.alone or not known.any():
            return values
        weight = self.spread(known.astype(np.float64))
        total = self.spread(np.where(known, values, 0.0))
        mean: Floats = np.divide(total, weight, out=np.full(values.shape, np.nan), where=known)
        return mean

    @cached_property
    def _nearness(self) -> Floats:
        """The weights between each row and the one at each distance (from 1) after it; 0 if they aren't neighbours."""
        rows = np.arange(len(self._session))
        later = np.minimum(rows + self._steps, len(rows) - 1)
        same = (
            (self._session == self._session[later]) & (self._session >= 0) & (rows < len(rows) - self._steps)
        )
        paused = np.abs(self._told - self._told[later])
        near: Floats = np.where(same, self._kernel**self._steps / (1 + paused / PAUSE), 0.0)
        return near


def text_scores(candidates: Candidates, question: Question) -> Floats:
    """BM25 of every row by its own words; 0 if it has none of the question's."""
    counts, length = candidates.counts, candidates.length
    return bm25(
        row=counts.row,
        term=counts.term,
        count=counts.count,
        idf=idf_of(candidates, question),
        norm=length_norm(length, mean_over(length, candidates.counted)),
    )


def spread_text_scores(candidates: Candidates, question: Question, near: Neighbours) -> Floats:
    """BM25 with the words of near neighbours counted in: the positional language model (Lv and Zhai 2009) in BM25.

    A turn such as "Yes, since March" is found by the question just before it. The rarity of words is still computed
    from single rows.
    """
    if near.alone:
        return text_scores(candidates, question)
    length = near.spread(candidates.length)
    norm, idf = length_norm(length, mean_over(length, candidates.counted)), idf_of(candidates, question)
    scores = np.zeros(len(candidates))
    for start in range(0, question.terms, WORDS_AT_ONCE):
        words = slice(start, min(start + WORDS_AT_ONCE, question.terms))
        counts = near.spread_counts(_of_words(candidates.counts, words), words.stop - words.start)
        scores += bm25(row=counts.row, term=counts.term, count=counts.count, idf=idf[words], norm=norm)
    return scores


def idf_of(candidates: Candidates, question: Question) -> Floats:
    """The idf of each word of the question, over the counted rows. If a word occurs in none, similar words (which count
    less than 1) are used.
    """
    counts = candidates.counts
    counted = candidates.counted[counts.row]
    itself, any_of = (
        np.bincount(counts.term[counted & stands], minlength=question.terms).astype(np.float64)
        for stands in (counts.count >= 1, counts.count > 0)
    )
    documents = np.where(itself > 0, itself, any_of)
    return inverse_document_frequency(documents, int(candidates.counted.sum()))


def mean_over(values: Floats, rows: Bools) -> float:
    """The mean of these rows' values; 0 if there are none."""
    return float(values[rows].mean()) if rows.any() else 0.0


def _of_words(counts: Counts, words: slice) -> Counts:
    """The counts of these words, renumbered from 0."""
    among = (counts.term >= words.start) & (counts.term < words.stop)
    return Counts(row=counts.row[among], term=counts.term[among] - words.start, count=counts.count[among])


LEAST_COMPARED = 5  # vectors, below which their mean says nothing about an embedder's cosines


def fits(candidates: Candidates, question: Question) -> Floats:
    """How well each row fits the question, from 0 to 1, independently of the others, so that it may be that none fits.

    It is the share of the question's words in the row, where rare words count more, those that occur nowhere as much as
    one in a single row, and being named in the question like one more word. Or, if that is higher, it is how far its
    cosine is from the relationship's mean towards 1, as embedders differ in the range of their cosines.
    """
    rarest = inverse_document_frequency(np.ones(1), int(candidates.counted.sum()))
    idf, counts = np.minimum(idf_of(candidates, question), rarest), candidates.counts
    held = idf[counts.term] * np.minimum(counts.count, 1.0)
    words = np.bincount(counts.row, weights=held, minlength=len(candidates)) / (float(idf.sum()) or 1.0)
    fit: Floats = np.minimum(words + candidates.named / (question.terms or 1), 1.0)
    known = candidates.counted & ~np.isnan(candidates.cosine)
    if int(known.sum()) < LEAST_COMPARED:
        return fit
    mean = float(candidates.cosine[known].mean())
    near = (np.nan_to_num(candidates.cosine, nan=mean) - mean) / max(1.0 - mean, 1e-9)
    return np.maximum(fit, np.clip(near, 0.0, 1.0))


def similarities(candidates: Candidates, question: Question) -> Floats:
    """The cosine of each row; without a vector, an estimate from its words.

    That is its BM25 as a share of the best, times the best cosine, so that what was just written is found at once.
    """
    missing = np.isnan(candidates.cosine)
    if not missing.any():
        return candidates.cosine
    text = text_scores(candidates, question)
    best_text = float(text.max(initial=0.0)) or 1.0
    known = candidates.cosine[~missing]
    best = max(0.0, float(known.max())) if len(known) else 1.0
    return np.where(missing, best * text / best_text, candidates.cosine)


def fuse_ranks(score_lists: Sequence[Floats]) -> tuple[Floats, ...]:
    """Each list's part of each row's score by Reciprocal Rank Fusion: 1 / (RRF_K + rank). Their sum is the fused score.

    All lists have equal length. A row with NaN has no rank in that list, and gets nothing from it.
    """
    return tuple(_reciprocal_ranks(scores) for scores in score_lists)


def _reciprocal_ranks(scores: Floats) -> Floats:
    given = np.zeros(len(scores))
    ranked = np.flatnonzero(~np.isnan(scores))
    best_first = ranked[order_of(scores[ranked])]
    given[best_first] = 1 / (RRF_K + np.arange(1, len(ranked) + 1))
    return given
