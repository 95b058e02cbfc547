from timeit import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("Maya lives in Lisbon and works as a nurse.", 8, 13),  # 10 by most tokenizers
        ("Майя живёт в Лиссабоне и работает медсестрой.", 12, 26),
        ("マヤはリスボンに住んでいて、看護師として働いています。", 18, 32),
        ("玛雅住在里斯本，是一名护士。", 10, 18),
        ("🎉🎉🎉🎉", 4, 12),
    ],
    ids=["empty", "letter", "english", "russian", "japanese", "chinese", "emoji"],
)
def test_the_estimate_is_near_the_models_counts(text: str, low: int, high: int) -> None:
    assert low <= estimate_tokens(text) <= high


@given(st.text(), st.text())
def test_a_whole_is_never_more_than_its_parts(first: str, second: str) -> None:
    assert estimate_tokens(first + second) <= estimate_tokens(first) + estimate_tokens(second)


@given(st.text())
def test_more_text_is_never_fewer_tokens(text: str) -> None:
    assert estimate_tokens(text) <= estimate_tokens(text + "x")


def test_two_kilobytes_take_less_than_fifteen_microseconds() -> None:
    text = "tea and coffee, " * 128

    assert min(repeat(lambda: estimate_tokens(text), number=100, repeat=20)) / 100 < 15e-6
