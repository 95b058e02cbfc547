"""What rankers are made of. Pure arithmetic: BM25, the words of a question in the candidates, neighbours, fusion.

BM25 is over the relationship's own statistics (Robertson and Zaragoza 2009). PostgreSQL's ts_rank is not that: it knows
neither how rare a word is nor how long the texts are.
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
    """Of each term, from in how many of `rows` it stands; never negative (Lucene's form)."""
    return np.log1p((rows - documents + 0.5) / (documents + 0.5))


def length_norm(length: Floats, mean: float) -> Floats:
    """What a count is held against in each row: more in a row longer than the mean."""
    return K1 * (1 - B + B * length / (mean or 1.0))


def bm25(*, row: Ints, term: Ints, count: Floats, idf: Floats, norm: Floats) -> Floats:
    """The score of every row: sum over its terms of idf x count x (k1 + 1) / (count + norm).

    `row`, `term` and `count` are of one length, each pair of row and term at most once; `idf` is by term and
    `norm` by row.
    """
    gained = idf[term] * count * (K1 + 1) / (count + norm[row])
    scores: Floats = np.bincount(row, weights=gained, minlength=len(norm)).astype(np.float64)
    return scores


class Neighbours:
    """Gives a row's values to those before and after it in the same session, fading by `kernel` ** distance.

    What was said PAUSE later is half as near, and what was said on another day hardly at all: people answer what was
    said just now, and a session may go on for years. Rows of no session (-1) have no neighbours; `alone` says that all
    are such. `told`: in seconds.
    """

    def __init__(self, session: Ints, told: Floats, *, kernel: float, reach: int) -> None:
        self._kernel = kernel
        self.alone = bool((session < 0).all())
        # a session's rows in a row, in the order they were told
        self._order = np.argsort(session, kind="stable")
        self._back = np.empty_like(self._order)
        self._back[self._order] = np.arange(len(session))
        self._session, self._told = session[self._order], told[self._order]
        self._steps = np.arange(1, min(reach, len(session) - 1) + 1)[:, None]

    def spread(self, values: Floats) -> Floats:
        """Sums: each row's own value and its neighbours', faded."""
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
        """The same of counts, for each term by itself. What stands nowhere costs nothing, and most words stand in few
        rows.
        """
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
        """By the distance, from 1, and the row: what it and the one so far after it give each other, or 0."""
        rows = np.arange(len(self._session))
        later = np.minimum(rows + self._steps, len(rows) - 1)
        same = (
            (self._session == self._session[later]) & (self._session >= 0) & (rows < len(rows) - self._steps)
        )
        paused = np.abs(self._told - self._told[later])
        near: Floats = np.where(same, self._kernel**self._steps / (1 + paused / PAUSE), 0.0)
        return near


def text_scores(candidates: Candidates, question: Question) -> Floats:
    """BM25 of every row by its own words (0: it has none of the question's)."""
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

    A turn such as "Yes, since March" is found by what was asked just before it. How rare a word is stays a matter of
    single rows.
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
    """Of each word of the question, over the counted rows. What is only near to it (less than 1) tells how rare it is
    where it stands in none itself.
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
    """Of the values of these rows; 0 where there are none."""
    return float(values[rows].mean()) if rows.any() else 0.0


def _of_words(counts: Counts, words: slice) -> Counts:
    """Those of these words, numbered anew from 0."""
    among = (counts.term >= words.start) & (counts.term < words.stop)
    return Counts(row=counts.row[among], term=counts.term[among] - words.start, count=counts.count[among])


LEAST_COMPARED = 5  # vectors, below which their mean says nothing of where an embedder's cosines lie


def fits(candidates: Candidates, question: Question) -> Floats:
    """How well each row fits the question, from 0 to 1, whatever the others do: so that nothing may fit.

    The share of the question's words that it has, rare ones counting more, those that stand nowhere as much as
    one that stands in one row; being named in the question counts as one word more. Or, where it is higher, how far its
    cosine lies from the relationship's mean towards 1: embedders differ in where their cosines lie.
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


def fuse_ranks(score_lists: Sequence[Floats]) -> tuple[Floats, ...]:
    """What each list gives each row by Reciprocal Rank Fusion: 1 / (RRF_K + rank). Their sum is the fused score.

    All lists are of one length. A row with NaN stands in no rank of that list, and gets nothing from it.
    """
    return tuple(_reciprocal_ranks(scores) for scores in score_lists)


def _reciprocal_ranks(scores: Floats) -> Floats:
    given = np.zeros(len(scores))
    ranked = np.flatnonzero(~np.isnan(scores))
    best_first = ranked[order_of(scores[ranked])]
    given[best_first] = 1 / (RRF_K + np.arange(1, len(ranked) + 1))
    return given
