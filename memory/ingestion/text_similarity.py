"""Compare texts by their words. Pure, and linear in the texts.

The comparison is lenient: words match if they begin alike (run, running; Lisbon, Lisboa), numbers and identifiers only
if they are equal. Texts that say the same in entirely different words, or in another language, do not match: so the
caller must not drop anything because of a mismatch.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache

from memory.mending.wishes import NO, STOP
from memory.words import Word, fold, normal, words_of
from relationships.configuration.bounded_cache import KeptByText

_Mark = tuple[str, str]
_Asked = tuple[Word, frozenset[_Mark]]  # a word, and the marks by which it is found
# Of the messages of a batch, for each of its operations. The marks may take eighty times the bytes of a text.
_kept: KeptByText[frozenset[_Mark]] = KeptByText(8_388_608)
_HEAD, _SHORT = 4, 3  # words match by this many letters; a word of three by all of them


def share_said(text: str, *others: str, own: Collection[str] = (), of_nothing: float = 1.0) -> float:
    """The share of the meaningful words of `text` that any of `others` contains, too; `of_nothing` if it has none.

    `own`: names of the two who talk, which don't count.
    """
    telling = _without(_asked_of(text), own)
    unsaid = _unsaid(telling, others)
    return 1 - len(unsaid) / len(telling) if telling else of_nothing


def unsaid_words(text: str, *others: str, own: Collection[str] = ()) -> list[str]:
    """The meaningful words of `text` that none of `others` contains, as written, in order."""
    written = normal(text)
    return [written[word.start : word.end] for word in _unsaid(_without(_asked_of(text), own), others)]


def said_whole(texts: Iterable[str], *, own: Collection[str], least: int) -> Callable[[str], Iterator[str]]:
    """A function that yields those of `texts`, of `least` meaningful words or more, all of whose words another has.

    The texts are read once, and only those whose first word another has are compared with it.
    """
    by_first = defaultdict[_Mark, dict[str, list[frozenset[_Mark]]]](dict)
    for text in texts:
        asked = [marks for _, marks in _without(_asked_of(text), own)]
        if len(asked) >= least:
            for mark in asked[0]:
                by_first[mark][text] = asked[1:]

    def of(other: str) -> Iterator[str]:
        said = _marks_of(other)
        likely = {text: asked for mark in said for text, asked in by_first.get(mark, {}).items()}
        return (text for text, asked in likely.items() if not any(map(said.isdisjoint, asked)))

    return of


def _unsaid(telling: Iterable[_Asked], others: Iterable[str]) -> list[Word]:
    said = [_marks_of(other) for other in others]
    return [word for word, asked in telling if all(marks.isdisjoint(asked) for marks in said)]


def without_first_word(text: str) -> str:
    """A statement without its first word, mostly a verb that says little ("Lives in Lisbon")."""
    words = words_of(text)
    return normal(text)[words[0].end :] if len(words) > 1 else text


def _without(telling: Iterable[_Asked], own: Collection[str]) -> list[_Asked]:
    names = {fold(part) for name in own for part in name.split()}
    return [one for one in telling if not one[0].forms & names]


@lru_cache(maxsize=8)  # an entry is compared with each addition of an answer
def _asked_of(text: str) -> tuple[_Asked, ...]:
    return tuple((word, frozenset(_asked(word))) for word in _telling(text))


def _telling(text: str) -> tuple[Word, ...]:
    return tuple(word for word in words_of(text) if word.identifier or not word.forms & (STOP | NO))


def _marks_of(text: str) -> frozenset[_Mark]:
    return _kept.get((text,), _read_marks)


def _read_marks(texts: tuple[str]) -> frozenset[_Mark]:
    return frozenset(mark for word in _telling(texts[0]) for mark in _marks(word))


def _marks(word: Word) -> Iterator[_Mark]:
    """The marks that other words must share to match it."""
    for form in word.forms:
        plain = form if word.identifier else _singular(form)
        if word.identifier or len(plain) <= _SHORT:
            yield ("whole", plain)
        else:
            yield ("head", plain[:_HEAD])
            doubled = plain[_SHORT] == plain[_SHORT - 1]
            if doubled or len(plain) <= _SHORT + 2:  # running, skied; not teacher of tea
                yield ("begins", plain[:_SHORT])


def _asked(word: Word) -> Iterator[_Mark]:
    """The marks by which it matches: a word of three letters matches any that begins with it, and the reverse."""
    for kind, part in _marks(word):
        if kind == "begins":
            yield ("whole", part)
        elif kind == "whole" and len(part) == _SHORT and not word.identifier:
            yield (kind, part)
            yield ("begins", part)
        else:
            yield (kind, part)


def _singular(form: str) -> str:
    form = form.removesuffix("s") if len(form) > _SHORT else form
    return form.removesuffix("ing") if len(form) >= 2 * _SHORT else form
