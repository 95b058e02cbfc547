"""What a condition looks for in what the person says. Linear in its length, whoever wrote the pattern."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import re2

MOST_MEMORY = 1 << 20  # bytes that one compiled pattern may take
# Characters in which a pattern is looked for. At worst each is held against each instruction of the pattern.
MOST_TEXT = 16_384
_WORD = re.compile(r"\w+")


def known_pattern(pattern: str) -> str:
    """The pattern as it is. Raises ValueError for one that RE2 does not take."""
    try:
        _compiled(pattern)
    except re2.error as error:
        told = error.args[0] if error.args else error
        said = told.decode() if isinstance(told, bytes) else str(told)
        raise ValueError(f"is no regular expression of RE2's: {said}") from None
    return pattern


def matches(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text[:MOST_TEXT]) is not None


def instructions(pattern: str) -> int:
    """How large the pattern is, compiled."""
    return int(_compiled(pattern).programsize)


def holds_keyword(keywords: Iterable[str], text: str) -> bool:
    """Whole words, in any case."""
    spoken = _spoken(text)
    return any(_plain(keyword) in spoken for keyword in keywords)


@lru_cache(maxsize=1)
def _spoken(text: str) -> str:
    """As `_plain`; many conditions ask it of one message."""
    return _plain(text)


def _plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = MOST_MEMORY
    options.log_errors = False
    return re2.compile(pattern, options)
