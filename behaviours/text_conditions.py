"""Looks for keywords and patterns in what the person says. Takes linear time for any pattern."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import re2

from memory.names import attaches
from providers.normal_form import normal_form

MOST_MEMORY = 1 << 20  # bytes of one compiled pattern
# Characters that a pattern is matched against. In the worst case, each is compared with each of its instructions.
MOST_TEXT = 16_384
_WORD = re.compile(r"\w+")


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


def holds_keyword(keywords: Iterable[str], text: str) -> bool:
    """Return whether the text has one of the keywords as whole words, ignoring case; in scripts without capitals, which
    attach particles or have no spaces, anywhere."""
    spoken = _spoken(text)
    return any(_bounded(_plain(keyword)) in spoken for keyword in keywords)


def _bounded(words: str) -> str:
    """Leave out the space beside a letter of such a script."""
    said = words.strip()
    return words[attaches(said[0]) : len(words) - attaches(said[-1])] if said else words


def _plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(normal_form('NFKC', text).casefold()))} "


_spoken = lru_cache(maxsize=1)(_plain)  # as many conditions check the same message


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = MOST_MEMORY
    options.log_errors = False
    return re2.compile(pattern, options)
