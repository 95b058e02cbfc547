from uuid import UUID

import numpy as np
import pytest

from knowledge.ranking import Columns, rank_chunks

NAN = float("nan")


def columns(cosine: list[float], counts: dict[tuple[int, int], int]) -> Columns:
    """`counts`: how often a word (second) stands in a row (first)."""
    return Columns(
        ids=[UUID(int=place) for place in range(len(cosine))],
        length=np.full(len(cosine), 100.0),
        cosine=np.array(cosine),
        row=np.array([row for row, _ in counts], dtype=np.int64),
        term=np.array([term for _, term in counts], dtype=np.int64),
        count=np.array(list(counts.values()), dtype=np.float64),
        terms=len({term for _, term in counts}),
    )


def test_the_first_by_both_is_the_first() -> None:
    ranked = rank_chunks(columns([0.2, 0.9, 0.1], {(0, 0): 1, (1, 0): 3}))

    assert ranked.order.tolist() == [1, 0, 2]
    assert ranked.total.tolist() == pytest.approx([2 / 62, 2 / 61, 1 / 63])


def test_without_vectors_only_what_shares_a_word_is_found() -> None:
    ranked = rank_chunks(columns([NAN, NAN, NAN], {(2, 0): 1}))

    assert ranked.order.tolist() == [2]


def test_a_chunk_without_its_vector_is_found_by_its_text() -> None:
    ranked = rank_chunks(columns([NAN, 0.9], {(0, 0): 1}))

    assert sorted(ranked.order.tolist()) == [0, 1]


def test_a_floor_of_similarity_spares_what_shares_a_word() -> None:
    ranked = rank_chunks(columns([0.1, 0.2, 0.5], {(0, 0): 1}), min_similarity=0.4)

    assert sorted(ranked.order.tolist()) == [0, 2]


def test_what_scores_less_than_the_floor_is_left_out() -> None:
    ranked = rank_chunks(columns([0.9, 0.2], {(0, 0): 1}), min_score=0.02)

    assert ranked.order.tolist() == [0]


def test_of_equal_ones_the_last_row_is_first() -> None:
    assert rank_chunks(columns([NAN] * 3, {(0, 0): 1, (1, 0): 1, (2, 0): 1})).order.tolist() == [2, 1, 0]


def test_nothing_to_rank_is_no_error() -> None:
    assert rank_chunks(columns([], {})).order.tolist() == []
