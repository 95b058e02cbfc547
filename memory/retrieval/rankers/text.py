"""The words of a question in the candidates. Pure arithmetic."""

import numpy as np

from memory.retrieval.bm25 import bm25, inverse_document_frequency, length_norm
from memory.retrieval.rankers.base import Candidates, Counts, Floats, Question
from memory.retrieval.rankers.neighbours import Neighbours

WORDS_AT_ONCE = 64  # of a question: a table of all its words and rows could take more memory than there is


def text_scores(candidates: Candidates, question: Question) -> Floats:
    """BM25 of every row by its own words (0: it has none of the question's)."""
    counts, length = candidates.counts, candidates.length
    mean = mean_length(candidates)
    return bm25(
        row=counts.row,
        term=counts.term,
        count=counts.count,
        idf=idf_of(candidates, question),
        norm=length_norm(length, mean),
    )


def spread_text_scores(candidates: Candidates, question: Question, near: Neighbours) -> Floats:
    """BM25 with the words of near neighbours counted in: the positional language model (Lv and Zhai 2009) in BM25.

    A turn such as "Yes, since March" is found by what was asked just before it. How rare a word is stays a matter of
    single rows.
    """
    if near.alone:
        return text_scores(candidates, question)
    length = near.spread(candidates.length)
    mean = float(length[candidates.counted].mean()) if candidates.counted.any() else 0.0
    norm, idf = length_norm(length, mean), idf_of(candidates, question)
    scores = np.zeros(len(candidates))
    for start in range(0, question.terms, WORDS_AT_ONCE):
        words = slice(start, min(start + WORDS_AT_ONCE, question.terms))
        counts = _spread_counts(candidates.counts, words, len(candidates), near)
        scores += bm25(row=counts.row, term=counts.term, count=counts.count, idf=idf[words], norm=norm)
    return scores


def idf_of(candidates: Candidates, question: Question) -> Floats:
    """Of each word of the question, over the counted rows or, where the candidates are a choice, over all."""
    if candidates.statistics is not None:
        return inverse_document_frequency(candidates.statistics.documents, candidates.statistics.rows)
    counts = candidates.counts
    counted = counts.term[candidates.counted[counts.row]]
    documents = np.bincount(counted, minlength=question.terms).astype(np.float64)
    return inverse_document_frequency(documents, int(candidates.counted.sum()))


def mean_length(candidates: Candidates) -> float:
    if candidates.statistics is not None:
        return candidates.statistics.mean_length
    return float(candidates.length[candidates.counted].mean()) if candidates.counted.any() else 0.0


def _spread_counts(counts: Counts, words: slice, rows: int, near: Neighbours) -> Counts:
    """Of these words, numbered anew from 0."""
    among = (counts.term >= words.start) & (counts.term < words.stop)
    table = np.zeros((words.stop - words.start, rows))
    table[counts.term[among] - words.start, counts.row[among]] = counts.count[among]
    table = near.spread(table)
    term, row = np.nonzero(table)
    return Counts(row=row, term=term, count=table[term, row])
