"""Which of many phrases a text may quote."""

import re
from collections.abc import Callable

import pytest

from memory.mending.prefilter import FirstLook
from memory.phrases import FEW, PART, Phrases
from memory.words import words_of
from tests.growth import MOST, growth

OTHERS = [f"Keeps {number} quokkas in Porto" for number in range(2 * FEW)]


@pytest.mark.parametrize("others", [[], OTHERS], ids=["one", "many"])
@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("Likes green tea", "He says: LIKES  green\n tea, always"),
        ("istanbul", "in İSTANBUL"),
        ("kiss sir ſir", "KISS SIR SIR"),
        ("a b", "a\tB"),
        ("µ-wave ςοφία", "Μ-wave σοφία"),
        ("\u0307", "tea"),
    ],
)
def test_whatever_an_expression_finds_is_among_those_that_may_be_there(
    phrase: str, text: str, others: list[str]
) -> None:
    pattern = r"\s+".join(map(re.escape, phrase.split()))
    assert phrase == "\u0307" or re.search(pattern, text, re.I)
    assert phrase in Phrases([*others, phrase]).found_in(text)


@pytest.mark.parametrize("others", [[], OTHERS], ids=["few", "many"])
def test_those_that_are_not_there_are_not_looked_for_and_the_longest_comes_first(others: list[str]) -> None:
    short, long = "green tea", "green tea and cake"
    phrases = Phrases([*others, short, long, "black coffee"])
    assert phrases.found_in("I like green tea and cake.") == [long, short]
    assert phrases.found_in("I like porridge.") == []


def unlike(size: int) -> list[str]:
    return [f"{number:0{PART}x} " * 20 for number in range(size)]


def alike(size: int) -> list[str]:
    """They differ in the middle only."""
    return [f"{'He likes tea. ' * 10} {number:0{PART}} {'He likes tea. ' * 10}" for number in range(size)]


@pytest.mark.parametrize("made", [unlike, alike])
def test_many_phrases_are_looked_for_in_time_that_grows_with_them_and_the_text(
    made: Callable[[int], list[str]],
) -> None:
    def work(case: tuple[list[str], list[str]]) -> None:
        texts, phrases = case[1], Phrases(case[0])
        assert not any(map(phrases.found_in, texts))

    def case(size: int) -> tuple[list[str], list[str]]:
        return made(size), ["He likes coffee and tea. He likes tea. " * 5] * size

    assert growth(work, case, size=500) < MOST


def test_a_first_look_for_many_words_takes_time_that_grows_with_them_and_the_texts() -> None:
    def case(size: int) -> tuple[FirstLook, list[str]]:
        words = words_of(" ".join(f"{chr(0xAC00 + n % 100)}{chr(0xAC00 + n // 100)}" for n in range(size)))
        return FirstLook(words), ["Он любит чай. " * 1000] * (size // 200)

    def work(given: tuple[FirstLook, list[str]]) -> None:
        look, texts = given
        assert not any(map(look.may_have_any, texts))

    assert FirstLook(words_of(" ".join(f"ORD-{n}" for n in range(1000, 1200)))).may_have_any("It is ORD 1150")
    assert growth(work, case, size=4000) < MOST
