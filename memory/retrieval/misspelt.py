"""Words that were said and may be meant by a word of the question that nobody said: "pysics" finds "physics".

They are one slip away: a letter too many, too few, another, or two in the wrong order, but never the first letter. If
there are none, one may be the beginning of the other: "Physikarbeit" finds "physics", too. All are guesses, and count
NEAR. Only words of the newest texts are looked up, and only if a word of the question is found nowhere.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from config.postgresql.sessions import prepared_cursor
from memory.dates import MONTHS, WEEKDAYS
from memory.models import SearchedKind
from memory.retrieval.compounds import SAID, lines_with
from memory.retrieval.related import Related

SHORTEST = 5  # letters; shorter words are one slip away from too many others
SURE = 6  # letters; what is a slip away from such a word counts with vectors, too
# Letters: two words begin alike with BEGINNING, which are all but at most ENDING of the shorter one, and the longer has
# at least REST more: Physikarbeit, physics; but not Christmas, Chris; parenthesis, parents; internship, internet.
BEGINNING, ENDING, REST = 5, 2, 5
# Never misspelt: they are mostly asked for as dates. Stems are their beginnings ("octob"), other forms are not known.
_NAMES = (*MONTHS, *WEEKDAYS)
MOST_MEANT = 3  # words, by one of the question
MOST_UNSAID = 2  # words of a question; one with more that nobody said tells something new


def meant_by(
    unsaid: Sequence[tuple[int, str]], *, relationship_id: UUID, kind: SearchedKind
) -> list[Related]:
    """What may be meant by words of questions, of these numbers, that are found nowhere. One statement, if any may be
    misspelt.
    """
    asked = [
        (number, word)
        for number, word in unsaid
        if len(word) >= SHORTEST and word.isalpha() and not any(name.startswith(word) for name in _NAMES)
    ]
    count = Counter(number for number, _ in asked)
    if not (asked := [(number, word) for number, word in asked if count[number] <= MOST_UNSAID]):
        return []
    values: dict[str, Any] = {"relationship": relationship_id}
    with prepared_cursor() as cursor:
        cursor.execute(f"SELECT ({SAID[kind]})", values)
        (said,) = cursor.fetchone() or (None,)
    lines = f"\n{said or ''}\n"
    found = [_related(number, word, lines) for number, word in asked]
    return [one for one in found if one.near]


def _related(number: int, word: str, lines: str) -> Related:
    meant, long = _one_slip_away(word, lines), len(word) >= SURE
    near = meant or (_beginning_like(word, lines) if long else [])
    return Related(number, word, " ".join(near), beside_vectors=long and bool(meant))


def _one_slip_away(word: str, lines: str) -> list[str]:
    """The words that are one slip away, of equal length first. `lines`: a word a line.

    With one slip, one half of the word is as it was, unless two letters changed places.
    """
    half = len(word) // 2
    likely = {*lines_with(f"\n{word[:half]}", lines), *lines_with(f"{word[half:]}\n", lines)}
    found = {
        other for other in likely if other[0] == word[0] and other.isalpha() and _is_one_slip(word, other)
    }
    swapped = (f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}" for at in range(1, len(word) - 1))
    found |= {other for other in swapped if f"\n{other}\n" in lines}
    return sorted(found, key=lambda other: (abs(len(other) - len(word)), other))[:MOST_MEANT]


def _beginning_like(word: str, lines: str) -> list[str]:
    likely = lines_with(f"\n{word[:BEGINNING]}", lines)
    found = {other for other in likely if other.isalpha() and _begin_alike(word, other)}
    return sorted(found, key=lambda other: (len(other), other))[:MOST_MEANT]


def _begin_alike(word: str, other: str) -> bool:
    shorter, longer = sorted(map(len, (word, other)))
    return _alike(word, other) >= shorter - ENDING and longer >= shorter + REST


def _is_one_slip(word: str, other: str) -> bool:
    before = _alike(word, other)
    rest, others = word[before:], other[before:]
    return max(len(rest), len(others)) - _alike(rest[::-1], others[::-1]) <= 1


def _alike(word: str, other: str) -> int:
    """How many letters the two have in common from the beginning."""
    pairs = enumerate(zip(word, other, strict=False))
    return next((at for at, (one, two) in pairs if one != two), min(len(word), len(other)))
