import numpy as np
import pytest

from memory.retrieval.bm25 import bm25, inverse_document_frequency, length_norm


def test_a_rare_word_counts_more_and_none_counts_against() -> None:
    rare, common, everywhere = inverse_document_frequency(np.array([1.0, 50.0, 100.0]), 100)
    assert rare > common > everywhere > 0
    assert rare == pytest.approx(np.log(1 + 99.5 / 1.5))


def test_a_text_of_the_mean_length_is_held_against_k1_and_a_longer_one_against_more() -> None:
    assert length_norm(np.array([10.0, 20.0, 0.0]), 10.0) == pytest.approx([1.2, 2.1, 0.3])


def test_texts_without_any_length_are_held_against_something() -> None:
    assert length_norm(np.array([0.0]), 0.0) == pytest.approx([0.3])


def test_counts_of_all_words_add_up_by_row() -> None:
    scores = bm25(
        row=np.array([0, 0, 2]),
        term=np.array([0, 1, 1]),
        count=np.array([1.0, 2.0, 1.0]),
        idf=np.array([2.0, 3.0]),
        norm=np.array([1.2, 1.2, 1.2]),
    )
    assert scores == pytest.approx([2 * 2.2 / 2.2 + 3 * 4.4 / 3.2, 0, 3 * 2.2 / 2.2])


def test_no_hits_and_no_rows_score_nothing() -> None:
    none = np.zeros(0, dtype=np.int64)
    for rows in (0, 2):
        scores = bm25(row=none, term=none, count=np.zeros(0), idf=np.zeros(0), norm=np.ones(rows))
        assert scores.tolist() == [0.0] * rows
