"""Whether texts say anything of each other, by their words. Pure, and linear in the texts.

A lenient look: words are alike that begin alike (run, running; Lisbon, Lisboa), numbers and identifiers only where
they are the same. Texts that say one thing in wholly different words, or languages, pass for strangers: so nothing that
is taken for a stranger may be lost by it.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache

from memory.mending.wishes import NO, STOP
from memory.words import Word, fold, normal, words_of

_HEAD, _SHORT = 4, 3  # letters by which words are alike; of a word of three, all of them


def share_said(text: str, *others: str, own: Collection[str] = (), of_nothing: float = 1.0) -> float:
    """Of the words of `text` that tell something, the share that any of `others` says too; of a text without any,
    `of_nothing`. `own`: names of the two who talk, which tell nothing.
    """
    telling = _without(_telling(text), own)
    unsaid = unsaid_words(text, *others, own=own)
    return 1 - len(unsaid) / len(telling) if telling else of_nothing


def unsaid_words(text: str, *others: str, own: Collection[str] = ()) -> list[str]:
    """The words of `text` that tell something and that none of `others` says, as they are written, in order."""
    said = frozenset().union(*(_marks_of(other) for other in others))
    written = normal(text)
    return [
        written[word.start : word.end]
        for word in _without(_telling(text), own)
        if said.isdisjoint(_asked(word))
    ]


def without_first_word(text: str) -> str:
    """A statement without the verb it mostly begins with: it tells little ("Lives in Lisbon")."""
    words = words_of(text)
    return normal(text)[words[0].end :] if len(words) > 1 else text


def _without(words: tuple[Word, ...], own: Collection[str]) -> list[Word]:
    names = {fold(part) for name in own for part in name.split()}
    return [word for word in words if not word.forms & names]


def _telling(text: str) -> tuple[Word, ...]:
    return tuple(word for word in words_of(text) if word.identifier or not word.forms & (STOP | NO))


@lru_cache(maxsize=128)  # the messages of a batch, for each of its operations
def _marks_of(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(mark for word in _telling(text) for mark in _marks(word))


def _marks(word: Word) -> Iterator[tuple[str, str]]:
    """What makes other words alike to it."""
    for form in word.forms:
        plain = form if word.identifier else _singular(form)
        if word.identifier or len(plain) <= _SHORT:
            yield ("whole", plain)
        else:
            yield ("head", plain[:_HEAD])
            if (
                len(plain) <= _SHORT + 2 or plain[_SHORT] == plain[_SHORT - 1]
            ):  # skied, running; not teacher of tea
                yield ("begins", plain[:_SHORT])


def _asked(word: Word) -> Iterator[tuple[str, str]]:
    """The marks by which it is found: a word of three letters by any that begins with it, and the reverse."""
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
