"""Who is named in a question. Pure."""

import re
import unicodedata

SHORTEST_NAME = 3  # letters; shorter ones are too often a word of the language
USER, COMPANION = "user", "assistant"
_WORD = re.compile(r"[^\W_]+")


def is_named(name: str, question: str) -> bool:
    """Whether a whole word of `name` stands in `question`, in any case. "Sam" is not in "the same"."""
    asked = question.casefold()
    words = set(_WORD.findall(asked))
    return any(_stands_in(part, asked, words) for part in _WORD.findall(name.casefold()))


def _stands_in(part: str, asked: str, words: set[str]) -> bool:
    if unicodedata.category(part[0]) == "Lo":  # scripts that put no space around a name, or glue particles on
        return len(part) >= 2 and part in asked
    return len(part) >= SHORTEST_NAME and part in words
