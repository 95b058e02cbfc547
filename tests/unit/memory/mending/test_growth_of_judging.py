"""A sentence of any sort is held against a wish in time that grows with it: people may write without a full stop."""

from collections.abc import Callable

import pytest

from memory.mending.judging import Verdict, judge
from memory.mending.wishes import read_wish
from tests.growth import MOST, growth

SENTENCES: dict[str, tuple[str, Callable[[int], str]]] = {
    "of somebody's father": ("my father", lambda size: "his father " * size),
    "of many fathers": ("my father", lambda size: f"Leo is his father {'his father ' * size}"),
}


@pytest.mark.parametrize(("wish", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_a_sentence_is_judged_in_time_that_grows_with_it(wish: str, sentence: Callable[[int], str]) -> None:
    asked = read_wish(wish, ("Maya",))
    assert growth(lambda text: judge(asked, text, stems={}, owners=("Maya",)), sentence, size=400) < MOST


def test_a_long_sentence_of_another_ones_father_is_still_another_ones() -> None:
    mine, theirs = (
        judge(read_wish("my father", ("Maya",)), text, stems={}).verdict
        for text in (f"{'well ' * 100}my father sings", f"{'well ' * 100}Leo's old father sings")
    )
    assert (mine, theirs) == (Verdict.SAYS, Verdict.PERHAPS)
