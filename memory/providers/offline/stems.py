"""The telling words of a statement, without endings, so that "running" finds "run"."""

import re

from memory.providers.offline.moments import MONTHS, WEEKDAYS

_STOP = frozenset(
    "a an the and or of to in on at for with from by as is are was were am be been being has have had do does did "
    "not no their they them theirs he she his her him it its this that these those very really so too also who "
    "which whose will would can cannot could s t named called name user my our me i we us you your up out about "
    "into over than some any more most all longer one just still now ever lot bit kind sort there here wants want "
    "plans plan hopes hope likes like loves love getting get gets got said around day week weekend morning evening "
    "afternoon ago one".split()
) | frozenset((*MONTHS, *WEEKDAYS))
_SUFFIXES = ("ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DATE_NUMBER = re.compile(r"(?:[12]?\d|3[01]|(?:19|20)\d\d)\Z")
_SAME_WORD = {
    "ran": "run", "flew": "fly", "went": "go", "gone": "go", "bought": "buy", "wrote": "write", "learnt": "learn",
    "won": "win", "met": "meet", "gave": "give", "took": "take", "sang": "sing", "swam": "swim", "drove": "drive",
    "began": "begin", "spoke": "speak", "made": "make", "mum": "mother", "mom": "mother", "dad": "father",
    "wedding": "marry", "married": "marry", "marriage": "marry", "marrying": "marry",
}  # fmt: skip


def words(text: str) -> frozenset[str]:
    """The stems of the telling words of `text`. Numbers that may be part of a date don't tell."""
    return frozenset(
        stem(word)
        for word in _WORD.findall(text.lower())
        if word not in _STOP and not _DATE_NUMBER.match(word) and (len(word) > 1 or not word.isascii())
    )


def stem(word: str) -> str:
    """A word in lower case without its common endings: running, runner, ran -> run."""
    word = word.removesuffix("'s")
    word = _SAME_WORD.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            if suffix in ("ies", "ied"):
                return word + "y"
            if suffix[-1] in "gdr" and word[-1] == word[-2] and word[-1] not in "ls":
                return word[:-1]
            break
    return word.removesuffix("e") if len(word) > 3 else word


def overlap(wanted: frozenset[str], there: frozenset[str]) -> float:
    """The share of the wanted words that are there, 0 to 1."""
    return len(wanted & there) / len(wanted) if wanted else 0.0
