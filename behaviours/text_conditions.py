"""Looks for keywords and patterns in what the person says. Takes linear time for any pattern."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import re2

from memory.names import attaches
from memory.occurrences import Places
from memory.words import MARKS, POINTS, WORD
from providers.normal_form import normal_form

MOST_MEMORY = 1 << 20  # bytes of one compiled pattern
# Characters that a pattern is matched against. In the worst case, each is compared with each of its instructions.
MOST_TEXT = 16_384
MOST_LETTERS = 250  # of a keyword as it is compared, in which a character may be several
# A word, or a symbol: arrows, emoji and the like.
_WORD = re.compile(rf"{WORD}|[\u2190-\u2bff\U0001f000-\U0001faff]")
# Points that are often left out, and the dot of an İ in lower case.
_LEFT_OUT = re.compile(f"[{POINTS}\u0307]")
_MARKS = frozenset(MARKS)


def known_pattern(pattern: str) -> str:
    """Return the pattern. Raises ValueError if RE2 can't compile it."""
    try:
        _compiled(pattern)
    except re2.error as error:
        told = error.args[0] if error.args else error
        said = told.decode() if isinstance(told, bytes) else str(told)
        raise ValueError(f"is not a regular expression of RE2: {said}") from None
    return pattern


def matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text[:MOST_TEXT]) is not None


def instructions(pattern: str) -> int:
    """The size of the compiled pattern."""
    return int(_compiled(pattern).programsize)


def known_keyword(keyword: str) -> str:
    """Return the keyword. Raises ValueError if it has nothing that could be found, or is too long when written out."""
    plain = _plain(keyword)
    if not plain.strip():
        raise ValueError("has neither a word nor a symbol")
    if len(plain) > MOST_LETTERS:
        raise ValueError(f"is longer than {MOST_LETTERS} letters when its ligatures are written out")
    return keyword


def holds_keyword(keywords: Iterable[str], text: str) -> bool:
    """Return whether the text has one of the keywords as whole words, ignoring case; in scripts without capitals, which
    attach particles or have no spaces, anywhere. If their last letter has other marks there, they are others: क is not
    in की."""
    spoken = _spoken(text)
    return any(spoken.have(_bounded(_plain(keyword)), unless=_MARKS.__contains__) for keyword in keywords)


def _bounded(words: str) -> str:
    """Leave out the space beside a letter of such a script."""
    return words[attaches(words[1]) : len(words) - attaches(words.rstrip(f" {MARKS}")[-1])]


def _plain(text: str) -> str:
    words = _WORD.findall(_LEFT_OUT.sub("", normal_form("NFKC", text).casefold()))
    return f" {' '.join(words)} "


@lru_cache(maxsize=1)  # as many conditions check the same message
def _spoken(text: str) -> Places:
    return Places(_plain(text), longest=MOST_LETTERS)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = MOST_MEMORY
    options.log_errors = False
    return re2.compile(pattern, options)
