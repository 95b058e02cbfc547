"""Which words tell one entry from another, and which of them a text holds. Pure, but for the stems it is given.

Words are compared whole, without case and accents. What holds a digit or an @ is one word with all that is joined to
it: ORD-17 is not in ORD-170, and eva@firm.org not in eva@firm.org.br. Other words count in any of their endings.
"""

import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memory.retrieval.index.text import words_for_index

# Letters and digits, joined by what may join an identifier: 2026-03-02, 3.5, eva@firm.org. Not by _, which is emphasis.
_JOINED = re.compile(r"[^\W_]+(?:[-.@_]+[^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_IDENTIFIER = re.compile(r"[\d@]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_HYPHENS = re.compile("[\u2010\u2011]")
BEGINNING = 3  # letters: two words that begin differently have no stem in common

Stems = Mapping[str, Collection[str]]  # of a word; none: a stop word


@dataclass(frozen=True, slots=True)
class Statement:
    """What an entry says or said, as words. `names` are those of them that it writes with a capital."""

    words: frozenset[str]
    names: frozenset[str] = frozenset()


def statement_of(content: str, *, stems: Stems, people: Collection[str] = ()) -> Statement:
    """Without stop words, and without the `people` it may be told of, unless they are half of what it says."""
    words = {word for word in words_of_entry(content) if is_identifier(word) or stems.get(word)}
    others = words - {word for name in people for word in words_of_entry(name)}
    if len(others) > 1 or any(map(is_identifier, others)):
        words = others
    return Statement(frozenset(words), frozenset(words & _capitalised(content)))


def words_of_entry(content: str) -> frozenset[str]:
    """Every word, an identifier as one."""
    found: set[str] = set()
    for joined in _JOINED.findall(fold(content)):
        found.update([joined] if is_identifier(joined) else _PART.findall(joined))
    return frozenset(found)


def words_of_message(content: str) -> frozenset[str]:
    """The same; the parts of an identifier that are words, too: Vienna stands in Vienna-2026."""
    found: set[str] = set()
    for joined in _JOINED.findall(fold(content)):
        found.add(joined)
        found.update(part for part in _PART.findall(joined) if not is_identifier(part))
    return frozenset(found)


def is_identifier(word: str) -> bool:
    return _IDENTIFIER.search(word) is not None


def may_be_of(words: Iterable[str], wanted: Collection[str]) -> frozenset[str]:
    """Those `words` that are one of these, or may be another ending of one: whose stems are worth asking for."""
    beginnings = {word[:BEGINNING] for word in wanted if not is_identifier(word)}
    return frozenset(word for word in words if word in wanted or word[:BEGINNING] in beginnings)


def held_in(words: Collection[str], wanted: Iterable[str], stems: Stems) -> frozenset[str]:
    """Which of the words `wanted` are among these, in any of their endings."""
    there = {stem for word in words if not is_identifier(word) for stem in stems.get(word, ())}
    return frozenset(
        word
        for word in wanted
        if word in words or (not is_identifier(word) and not there.isdisjoint(stems.get(word, ())))
    )


def fold(text: str) -> str:
    """Without case and accents; a script without spaces as pairs of its signs, as in the index."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
    return words_for_index(_HYPHENS.sub("-", plain), longest=sys.maxsize)


def _capitalised(content: str) -> set[str]:
    """Words with a capital that do not begin the text."""
    written = (match for match in _PART.finditer(content) if match.start() and match[0][0].isupper())
    return {word for match in written for word in words_of_entry(match[0])}
