"""The part of a text in which a search found something. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.words import Word, normal, one_word, spelt, words_of

AROUND = 80  # characters on either side


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The words that were found, and the text around them. `hit`: empty if the text has none of the words."""

    before: str
    hit: str
    after: str


def excerpt_of(text: str, query: str, *, before: int = AROUND) -> Excerpt:
    """Return the part around the first adjacent words that match `query`: in any spelling, or by their beginning.

    `before`: at most this many characters before them.
    """
    text = normal(text)
    words, wanted = words_of(text), words_of(query)
    spellings = spelt(wanted, {})
    matches = [bool(word.forms & spellings) or _begins_as(word, wanted) for word in words]
    for place, (one, two) in enumerate(pairwise(words)):
        if one_word(one, two, spellings):
            matches[place] = matches[place + 1] = True
    if not any(matches):
        return Excerpt(_cut(text, 2 * AROUND), "", "")
    first = matches.index(True)
    last = first + [*matches[first:], False].index(False) - 1
    start, end = words[first].start, words[last].end
    begin = max(0, start - before)
    return Excerpt(("…" if begin else "") + text[begin:start], text[start:end], _cut(text[end:], AROUND))


def _begins_as(word: Word, wanted: Sequence[Word]) -> bool:
    if word.identifier:
        return False
    ends = (sorted((word.plain, one.plain), key=len) for one in wanted if not one.identifier)
    return any(len(short) > 2 and long.startswith(short) for short, long in ends)


def _cut(text: str, limit: int) -> str:
    return text[:limit] + "…" if len(text) > limit else text
