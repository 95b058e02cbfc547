"""Other names of people, as entries state them, in any script: "Юлия (Yulia)", "Robert, also known as Bob".

Pure, in linear time.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from memory.words import Word, fold, normal, words_of

Aliases = Mapping[str, Collection[str]]  # of a folded name: what else it is called

# Which entries are read at all, as a pattern for both PostgreSQL and Python: brackets beside non-Latin letters, or
# words for an alias. The index `entry_aliases` contains just those.
_SAID = r"also (known|written|spel|called)|[ (,]a\.?k\.?a|goes by|is called|alias"
SAYS_ALIAS = r"[(（].*[^\u0001-\u024f]|[^\u0001-\u024f].*[(（]|" + _SAID
MOST_SAYINGS = 200  # entries, the newest
LONGEST_SAYING = 300  # characters that are read of one, as each costs time in a search
MOST_ASKED = 100  # words of a question, the first
_NAMES = r"(?<![\w'’-])[^\W\d_][\w'’-]{0,40}(?: [^\W\d_a-z][\w'’-]{0,40}){0,4}"
_ALSO = r"also (?:known|written|spelt|spelled)(?: as)?|a\.?k\.?a\.?|goes by|is (?:also )?called|alias"
_ALIAS = re.compile(
    rf"(?P<one>{_NAMES})\s*(?:\((?:also |aka |written |in \w+:? )*(?P<two>[^()]{{1,60}})\)"
    rf"|,? (?:{_ALSO}) (?P<three>{_NAMES}))"
)
# The same, but each line is read once: Python would read its rest again from each bracket, and from each letter.
_SAYS = re.compile(
    r"^[^(（\n]*+[(（].*[^\u0001-\u024f]|^[\u0001-\u0009\u000b-\u024f]*+[^\u0001-\u024f].*[(（]|" + _SAID,
    re.MULTILINE,
)
_MARKS = ("also ", "aka", "k.a", "goes by", "is called", "alias")  # a text in Latin letters must have one
_BRACKETS = "(（"  # beside other letters


def sayings_among(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts that may name an alias. Cheap where there are none: every context calls it with all entries."""
    if not _may_say("\n".join(texts)):
        return ()
    return tuple(text for text in texts if _may_say(text) and _SAYS.search(text))


def _may_say(text: str) -> bool:
    return any(mark in text for mark in _MARKS) or (
        not text.isascii() and any(mark in text for mark in _BRACKETS)
    )


def aliases_in(texts: Iterable[str]) -> dict[str, set[str]]:
    """For each spelling of a name, the spellings of its other names."""
    found: dict[str, set[str]] = {}
    for one, two, _ in _pairs(texts):
        for first in one.forms:
            found.setdefault(first, set()).update(two.forms)
        for second in two.forms:
            found.setdefault(second, set()).update(one.forms)
    return found


def other_names(question: str, sayings: Iterable[str]) -> list[str]:
    """Other names of the people whom `question` names, as the sayings spell them."""
    words = words_of(question)[:MOST_ASKED]
    asked = {form for word in words for form in word.forms}
    found = (other for _, other in _others_of(words, sayings) if other.forms.isdisjoint(asked))
    return list(dict.fromkeys(other.written for other in found))


def by_all_names(words: Sequence[Word], sayings: Iterable[str]) -> list[Word]:
    """The same words, each also with the forms of its other names."""
    forms = [set(word.forms) for word in words]
    for named, other in _others_of(words[:MOST_ASKED], sayings):
        for word, known in zip(words, forms, strict=True):
            if not named.forms.isdisjoint(word.forms):
                known |= other.forms
    return [word._replace(forms=frozenset(known)) for word, known in zip(words, forms, strict=True)]


class _Name(NamedTuple):
    written: str
    forms: frozenset[str]

    @property
    def is_latin(self) -> bool:
        return min(self.forms, key=len).isascii()


def _others_of(words: Sequence[Word], sayings: Iterable[str]) -> Iterator[tuple[_Name, _Name]]:
    """A name among the words, and another for it.

    Brackets explain more often than they name, "Berlin (Germany)": they count between two scripts only.
    """
    asked = {form for word in words for form in word.forms}
    folded = ((text, fold(text)) for text in sayings)
    near = [text for text, plain in folded if any(form in plain for form in asked)]
    for one, two, bracket in _pairs(near):
        if not (bracket and one.is_latin == two.is_latin):
            both = ((one, two), (two, one))
            yield from ((named, other) for named, other in both if not named.forms.isdisjoint(asked))


def _pairs(texts: Iterable[str]) -> Iterator[tuple[_Name, _Name, bool]]:
    """Yield two names, and whether the second is in brackets."""
    for text in texts:
        for match in _ALIAS.finditer(normal(text)):
            bracket = match["two"] is not None
            said, also = match["one"], match["two"] if bracket else match["three"]
            one, two = _names(said), _names(also)
            if len(one) == len(two):
                yield from ((first, second, bracket) for first, second in zip(one, two, strict=True))
            elif one and two:
                last, first = (
                    _within(said.split()[-1], one) or one[-1:],
                    _within(also.split()[0], two) or two[:1],
                )
                yield from ((*pair, bracket) for pair in product(last, first))


def _within(word: str, names: Sequence[_Name]) -> list[_Name]:
    """The names in a word; in a script without spaces there may be several."""
    return [name for name in names if name.written in word]


def _names(said: str) -> list[_Name]:
    """The words that may be names; none if one is a number or an address."""
    words = [word for word in words_of(said) if word.capital or not word.plain.isascii()]
    if any(word.identifier for word in words):
        return []
    return [_Name(said[word.start : word.end], word.forms) for word in words]
