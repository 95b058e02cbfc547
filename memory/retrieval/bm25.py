"""BM25 over the relationship's own statistics (Robertson and Zaragoza 2009). Pure arithmetic.

PostgreSQL's ts_rank is not that: it knows neither how rare a word is nor how long the texts are.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

K1, B = 1.2, 0.75  # the usual ones; measured, any k1 of .8 to 4 with b of .3 to .9 stays within .8 points


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
