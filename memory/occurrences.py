"""Looks for many words in one text, which is read once however many they are."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable


class Places:
    """Every place in a text, or those given, sorted by what stands there. `longest`: characters of the longest words
    that are looked for, which should not be many.
    """

    def __init__(self, text: str, *, longest: int, places: Iterable[int] | None = None) -> None:
        self._text = text
        every = range(len(text)) if places is None else places
        self._places = sorted(every, key=lambda at: text[at : at + longest])
        self._known: dict[str, bool] = {}

    def have(self, words: str, *, unless: Callable[[str], bool]) -> bool:
        """Return whether the words stand at one of them. `unless`: told what sign follows, "" at the end, whether they
        do not end there; the same for the same words.
        """
        if words not in self._known:
            self._known[words] = self._have(words, unless)
        return self._known[words]

    def _have(self, words: str, unless: Callable[[str], bool]) -> bool:
        text, places, length = self._text, self._places, len(words)
        first = bisect_left(places, words, key=lambda at: text[at : at + length])
        while first < len(places) and text.startswith(words, at := places[first]):
            after = text[at + length : at + length + 1]
            if not unless(after):
                return True
            first = bisect_right(places, words + after, lo=first, key=lambda at: text[at : at + length + 1])
        return False
