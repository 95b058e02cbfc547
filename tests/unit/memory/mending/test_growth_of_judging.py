"""A sentence of any sort is held against a wish in time that grows with it: people may write without a full stop."""

from collections.abc import Callable

import pytest

from memory.aliases import Aliases
from memory.mending.judging import Verdict, judge
from memory.mending.wishes import Wish, read_wish
from memory.words import words_of
from tests.growth import MOST, growth

SENTENCES: dict[str, tuple[str, Callable[[int], str]]] = {
    "of somebody's father": ("my father", lambda size: "his father " * size),
    "of many fathers": ("my father", lambda size: f"Leo is his father {'his father ' * size}"),
}


@pytest.mark.parametrize(("wish", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_a_sentence_is_judged_in_time_that_grows_with_it(wish: str, sentence: Callable[[int], str]) -> None:
    asked = read_wish(wish, ("Maya",))
    assert growth(lambda text: judge(asked, text, stems={}, owners=("Maya",)), sentence, size=400) < MOST


NO_DIGITS = str.maketrans("0123456789", "ghijklmnop")


def some(size: int, end: str) -> list[str]:
    return [f"abroa{number:x}{end}".translate(NO_DIGITS) for number in range(size)]


@pytest.mark.parametrize("between", [" ", ". "], ids=["one sentence", "many"])
def test_a_text_is_held_against_a_long_wish_in_time_that_grows_with_both(between: str) -> None:
    def work(case: tuple[Wish, str]) -> None:
        wish, text = case
        assert judge(wish, text, stems={}).verdict == Verdict.NOT

    def case(size: int) -> tuple[Wish, str]:
        words = words_of(" ".join(some(size, "sssssss")))
        return Wish(text="", must=tuple(words)), between.join(f"{word} ok" for word in some(size, "z"))

    assert growth(work, case, size=150) < MOST


def test_a_name_with_many_others_is_judged_in_time_that_grows_with_them_and_the_text() -> None:
    def work(case: tuple[str, Aliases]) -> None:
        text, aliases = case
        assert judge(read_wish("climbing"), text, stems={}, aliases=aliases).verdict == Verdict.NOT

    def case(size: int) -> tuple[str, Aliases]:
        return "Anna. " * size, {"anna": set(some(size, "z"))}

    known = {"anna": {"climbing"}}
    assert judge(read_wish("climbing"), "Anna", stems={}, aliases=known).verdict == Verdict.SAYS
    assert growth(work, case, size=1500) < MOST


def test_a_long_sentence_of_another_ones_father_is_still_another_ones() -> None:
    mine, theirs = (
        judge(read_wish("my father", ("Maya",)), text, stems={}).verdict
        for text in (f"{'well ' * 100}my father sings", f"{'well ' * 100}Leo's old father sings")
    )
    assert (mine, theirs) == (Verdict.SAYS, Verdict.PERHAPS)
