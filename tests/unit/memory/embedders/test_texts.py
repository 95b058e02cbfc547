import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.embedders.texts import NOTHING, batches, cut_to_tokens, presentable
from memory.tokens import estimate_tokens


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u2003", "\x00"])
def test_a_text_without_a_word_is_replaced_by_one(text: str) -> None:
    assert presentable(text) == NOTHING


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert presentable("broken \ud83d text") == "broken ? text"


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


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut_to_tokens("a" * 400, 100) == "a" * 400


def test_a_hundred_kilobytes_are_cut_whatever_the_script() -> None:
    assert len(cut_to_tokens("word " * 20_000, 1000)) == 4000
    assert 900 <= len(cut_to_tokens("上" * 100_000, 1000)) <= 1400


def test_texts_are_dealt_out_in_order_by_number_and_by_size() -> None:
    texts = ["a" * 40, "b" * 40, "c" * 400, "d", "e", "f"]  # 10, 10, 100, 1, 1, 1 tokens

    assert list(batches(texts, most_texts=3, most_tokens=50)) == [texts[:2], texts[2:3], texts[3:]]
    assert list(batches(texts, most_texts=2, most_tokens=1000)) == [texts[:2], texts[2:4], texts[4:]]
    assert list(batches([], most_texts=2, most_tokens=1000)) == []
