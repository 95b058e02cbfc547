"""Words that nobody uses, each given out once: what is found of one can only come from where it was said."""

import random

_CONSONANTS = "bcdfghjklmnprstvwz"
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "dan gor lin mar nel pik rass sund ton vek wyn zim bury ford holm".split()


class Words:
    """Gives words out, the same for the same seed. None is given twice, and none is a part of another.

    `stem` begins each of them, so that one search finds whatever is left of any.
    """

    def __init__(self, seed: str, *, stem: str = "") -> None:
        self._random = random.Random(seed)
        self._stem = stem
        self._given: set[str] = set()

    def new(self) -> str:
        """Such as `Teavoudan`."""
        while (word := self._draw()) in self._given:
            continue
        self._given.add(word)
        return word

    def _draw(self) -> str:
        pick = self._random.choice
        syllables = pick(_CONSONANTS) + pick(_VOWELS) + pick(_CONSONANTS) + pick(_VOWELS) + pick(_ENDS)
        return (self._stem + syllables).capitalize()
