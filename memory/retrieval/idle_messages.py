"""Recognise messages for which there is nothing to search: "haha yeah", "ok", "thanks, you too!". Pure.

Only if it is certain: every word must be listed in idle_messages.toml, and there must be no question mark. In a
language that is not listed a few needless searches are made, which cost milliseconds.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from memory.names import is_called
from memory.words import WORD, fold

LONGEST = 120  # characters; a longer message says something
_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
WORDS = frozenset(fold(" ".join(_TOLD["words"].values())).split())
_LAUGHTER = re.compile(r"(?:a?(?:[hjxk][aeio]|[hjxk]u)+[hjxk]?|[hk]{2,}|l+o+l+|(?:rs){2,}|w{2,}|x+d+)")
_LONG = re.compile(r"(.)\1{2,}")  # "yeahhh", "sooo"
_WORD = re.compile(WORD)
_GREETING = re.compile(
    rf"(?<!\w)(?:{'|'.join(fold(_TOLD['greetings']).splitlines())})(?: today)?(?!\w)[\s\W]*"
)


def asks_nothing(message: str, *, names: Iterable[str] = ()) -> bool:
    """Return whether the message has nothing to search for, like one without words. `names` of the two who talk don't
    count.
    """
    said = message.strip()
    if len(said) > LONGEST:
        return False
    said = fold(re.sub("['’]", "", said))
    called = {word for name in names for word in _WORD.findall(fold(name))}
    unnamed = _WORD.sub(lambda word: "" if is_called(word[0], called) else word[0], said)
    said = _GREETING.sub(" ", unnamed)
    return not any(mark in said for mark in "?？؟՞") and all(map(_says_nothing, _WORD.findall(said)))


def _says_nothing(word: str) -> bool:
    if word in WORDS or _LAUGHTER.fullmatch(word):
        return True
    return any(_LONG.sub(short, word) in WORDS for short in (r"\1", r"\1\1"))
