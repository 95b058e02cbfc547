"""A cheap test whether a text may contain a word, before the text is split into words. Pure.

It may accept too many texts, but never too few: it searches for the beginning of a word, as its ending may differ, and
for the letters and digits of an identifier without separators.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from memory.words import Word, folds

FEW = 100  # parts
LONGEST_SIGN = 8  # characters of an identifier that are looked for, if any of several will do
_JOINTS = re.compile(r"[\W_]+")
_EARLY_JOINT = re.compile(r"(?<!\w)(\w{1,2})[^\w\s]+(\w{1,2})")  # within a beginning: Jo-Anne, Al-Sayed
# Hebrew, Arabic: the article is part of the word.
_CHANGED_IN_FRONT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


class Folded:
    """A text, prepared once for any number of tests."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = folds(text)
        joined = " ".join(first + second for first, second in _EARLY_JOINT.findall(self._folded))
        self.begins = f"{self._folded} {joined}".replace("y", "i")

    @cached_property
    def bare(self) -> str:
        return _JOINTS.sub("", self._folded)


class FirstLook:
    """A test for some words."""

    def __init__(self, words: Iterable[Word], others: Iterable[str] = ()) -> None:
        """`others`: folded spellings, of which any one is enough."""
        listed = list(words)
        self._signs = [_signs(word) for word in listed if word.identifier]
        self._begins = [frozenset(map(_beginning, word.forms)) for word in listed if not word.identifier]
        self._any_begin = _AnyOf(frozenset(map(_beginning, others)).union(*self._begins))
        self._any_sign = _AnyOf(frozenset(sign[:LONGEST_SIGN] for signs in self._signs for sign in signs))

    @property
    def sought(self) -> frozenset[str]:
        """What a text must have one of, written without separators, and with i for y."""
        return self._any_begin.parts | self._any_sign.parts

    def may_have_all(self, text: str) -> bool:
        return bool(self.those_with_all([Folded(text)]))

    def those_with_all(self, texts: Sequence[Folded]) -> Sequence[Folded]:
        """The texts that may have all of the words."""
        for begin, *others in map(list, self._begins):
            texts = [
                one
                for one in texts
                if begin in one.begins or (others and any(other in one.begins for other in others))
            ]
        for signs in self._signs:
            texts = [one for one in texts if any(sign in one.bare for sign in signs)]
        return texts

    def may_have_any(self, text: str) -> bool:
        seen = Folded(text)
        return self._any_begin.is_in(seen.begins) or self._any_sign.is_in(seen.bare)


class _AnyOf:
    """A test for any of some short parts. Each is looked for in the text; of many, the text's own are."""

    def __init__(self, parts: frozenset[str]) -> None:
        self.parts = parts
        self._sizes = sorted(set(map(len, parts))) if len(parts) > FEW else ()

    def is_in(self, text: str) -> bool:
        if not self._sizes:
            return any(part in text for part in self.parts)
        return any(
            text[at : at + size] in self.parts for size in self._sizes for at in range(len(text) - size + 1)
        )


def _beginning(form: str) -> str:
    """The part of a form to search for. English changes at most a y to i; "not" may be written as n't."""
    if form == "not" or _CHANGED_IN_FRONT.search(form):
        return ""
    return form[: 2 if len(form) < 5 else 3].replace("y", "i")


def _signs(word: Word) -> list[str]:
    """The characters to search for: of a telephone number without the country code, of an amount without cents."""
    forms = (form.removeprefix("tel:") for form in word.forms)
    whole = (form.partition(".")[0] if form.replace(".", "").isdecimal() else form for form in forms)
    return [_JOINTS.sub("", form) for form in whole]
