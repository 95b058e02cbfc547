"""The line of a text in which something was found. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memory.words import Word, normal, one_word, spelt, words_of

AROUND = 80  # characters on either side


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What was found, and what stands around it. `hit` is empty where the text has it in no such form."""

    before: str
    hit: str
    after: str


def excerpt_of(text: str, sought: str, *, before: int = AROUND) -> Excerpt:
    """Around the first words that are among those sought, in any spelling, or begin as one of them; at most `before`
    characters stand before them.
    """
    text = normal(text)
    words, wanted = words_of(text), words_of(sought)
    spellings = spelt(wanted, {})
    is_meant = [bool(word.forms & spellings) or _begins_as(word, wanted) for word in words]
    for place, (one, two) in enumerate(pairwise(words)):
        if one_word(one, two, spellings):
            is_meant[place] = is_meant[place + 1] = True
    if not any(is_meant):
        return Excerpt(_end(text[: 2 * AROUND], text), "", "")
    first = is_meant.index(True)
    last = first + [*is_meant[first:], False].index(False) - 1
    start, end = words[first].start, words[last].end
    begin = max(0, start - before)
    return Excerpt(
        ("…" if begin else "") + text[begin:start],
        text[start:end],
        _end(text[end : end + AROUND], text[end:]),
    )


def _begins_as(word: Word, wanted: Sequence[Word]) -> bool:
    if word.identifier:
        return False
    ends = (sorted((word.plain, one.plain), key=len) for one in wanted if not one.identifier)
    return any(len(short) > 2 and long.startswith(short) for short, long in ends)


def _end(shown: str, whole: str) -> str:
    return shown + "…" if len(shown) < len(whole) else shown
