from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.embeddings.shaping import NOTHING, batches, cut_to_tokens, presentable, unit_vectors
from providers.errors import InvalidVectors
from providers.tokens import estimate_tokens


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u2003", "\x00"])
def test_a_text_without_a_word_is_replaced_by_one(text: str) -> None:
    assert presentable(text) == NOTHING


def test_a_nul_byte_is_a_space() -> None:
    assert presentable("one\x00two") == "one two"


@pytest.mark.parametrize("text", ["hello", "🙂", "我住在上海", "שלום"])
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert presentable(text) == text


@given(st.text(max_size=400), st.integers(1, 50))
def test_a_cut_text_is_a_beginning_that_fits(text: str, most: int) -> None:
    cut = cut_to_tokens(text, most)

    assert text.startswith(cut)
    assert estimate_tokens(cut) <= most


def test_a_hundred_kilobytes_are_cut_whatever_the_script() -> None:
    assert len(cut_to_tokens("word " * 20_000, 1000)) == 4000
    assert 900 <= len(cut_to_tokens("上" * 100_000, 1000)) <= 1400


def test_texts_are_dealt_out_in_order_by_number_and_by_size() -> None:
    texts = ["a" * 40, "b" * 40, "c" * 400, "d", "e", "f"]  # 10, 10, 100, 1, 1, 1 tokens

    assert list(batches(texts, most_texts=3, most_tokens=50)) == [texts[:2], texts[2:3], texts[3:]]
    assert list(batches(texts, most_texts=2, most_tokens=1000)) == [texts[:2], texts[2:4], texts[4:]]
    assert list(batches([], most_texts=2, most_tokens=1000)) == []


def test_every_vector_is_brought_to_length_one() -> None:
    vectors = unit_vectors([([[3.0, 4.0], [0.0, 2.0]], 2)], who="mine", dimensions=None)

    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0.8], [0.0, 1.0]])


def test_batches_stay_in_their_order() -> None:
    vectors = unit_vectors([([[1, 0]], 1), ([[0, 1], [0, -1]], 2)], who="mine", dimensions=2)

    assert vectors.tolist() == [[1, 0], [0, 1], [0, -1]]


def test_no_texts_make_no_vectors() -> None:
    assert unit_vectors([], who="mine", dimensions=3).shape == (0, 3)


def test_numbers_near_the_end_of_their_range_do_not_overflow() -> None:
    vectors = unit_vectors([([[3e38, 3e38], [1e-30, 1e-30]], 2)], who="mine", dimensions=None)

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_shared_vectors_are_read_only() -> None:
    vectors = unit_vectors([([[1.0]], 1)], who="mine", dimensions=None)

    with pytest.raises(ValueError, match="read-only"):
        vectors[0, 0] = 2


BAD: dict[str, tuple[list[Any], int | None, str]] = {
    "NaN": ([([[1.0, float("nan")]], 1)], None, "NaN or infinity"),
    "infinity": ([([[float("inf"), 1.0]], 1)], None, "NaN or infinity"),
    "zeros": ([([[1.0, 0.0], [0.0, 0.0]], 2)], None, "a vector of zeros"),
    "beyond any length": ([([[1.0, 0.0], [1e200, 1e200]], 2)], None, "too large to have a length"),
    "too few": ([([[1.0, 0.0]], 2)], None, "gave 1 vectors for 2 texts"),
    "too many": ([([[1.0], [2.0]], 1)], None, "gave 2 vectors for 1 texts"),
    "none at all": ([([], 3)], None, "gave 0 vectors for 3 texts"),
    "ragged": ([([[1.0], [1.0, 2.0]], 2)], None, "rows of differing lengths"),
    "words": ([([["a", "b"]], 1)], None, "no numbers"),
    "null": ([([[None, 1.0]], 1)], None, "NaN or infinity"),
    "empty rows": ([([[], []], 2)], None, "vectors without numbers"),
    "no rows": ([([1.0, 2.0], 2)], None, "vectors without numbers"),
    "changed between batches": ([([[1.0]], 1), ([[1.0, 2.0]], 1)], None, "of 1 and 2 dimensions"),
    "changed since before": ([([[1.0, 2.0]], 1)], 3, "of 2 and 3 dimensions"),
}


@pytest.mark.parametrize(("batches", "dimensions", "sentence"), BAD.values(), ids=BAD)
def test_vectors_that_can_not_be_compared_are_refused_in_a_sentence(
    batches: list[Any], dimensions: int | None, sentence: str
) -> None:
    with pytest.raises(InvalidVectors, match=sentence) as refused:
        unit_vectors(batches, who="mine", dimensions=dimensions)

    assert "'mine'" in str(refused.value)
    assert refused.value.permanent
