"""What is redacted is found in time that grows with the file, however much else is redacted with it."""

import re

import pytest

from tests.growth import MOST, growth
from workspace.forgettable import _pattern_for as pattern_for
from workspace.redaction import any_of


@pytest.mark.parametrize(
    ("texts", "said", "left"),
    [
        (["Likes tea", "Likes tea a lot"], "Likes  TEA\na lot, likes tea.", "-, -."),
        (["Visits Istanbul", "visits İstanbul often"], "Visits İstanbul often", "-"),
        (["Straße", "STRASSE"], "straße, Strasse, STRASSE", "-, -, -"),
        ([" ", ""], "Likes tea", "Likes tea"),
    ],
    ids=["the longest", "letters alike", "letters not alike", "nothing"],
)
def test_the_longest_text_is_found_in_any_spelling(texts: list[str], said: str, left: str) -> None:
    assert re.sub(any_of(texts), "-", said, flags=re.IGNORECASE) == left


def test_many_texts_that_begin_alike_are_looked_for_at_once() -> None:
    def redacted(size: int) -> str:
        texts = [f"I like tea and the number is {number}" for number in range(size)]
        return re.sub(pattern_for(texts), "", "I like tea and the rest. " * size, flags=re.IGNORECASE)

    assert growth(redacted, lambda size: size, size=150) < MOST


def test_lines_without_a_word_are_soon_told_from_a_short_text() -> None:
    pattern = re.compile(pattern_for(["Anna", "Likes green tea"]), re.IGNORECASE | re.MULTILINE)
    assert growth(lambda text: pattern.sub("", text), lambda size: "\n" * size, size=3000) < MOST
    assert (
        pattern.sub("-", "a\n* anna.\n\nAnna K.\n_likes green tea_, likes green tea")
        == "a\n-\n\nAnna K.\n_likes green tea_, -"
    )
