"""Show a part of a long text: the passage with most of the question's words, of which rare ones count more. Pure, and
linear in the text.
"""

import re
from collections import Counter
from collections.abc import Sequence

from memory.words import WORD
from providers.tokens import estimate_tokens

CUT = "[…] "  # where a part of a text is left out
Part = tuple[int, int]  # where it begins and ends

_WORD = re.compile(WORD)
REST_OF_A_WORD = re.compile(r"\S{0,30}\s+")  # none in scripts without spaces
_BEGUN_WORD = re.compile(r"\s+\S{0,30}\Z")
_SAME = 1e-9  # of two sums
_STEM = 5  # letters by which two words are taken for the same


def passage_in(text: str, question: str, *, tokens: int) -> Part:
    """Where the passage is, of about as many tokens. If the text has no word of the question: its beginning."""
    length = len(text) * tokens // max(tokens, estimate_tokens(text))
    asked = set(map(_stem, _WORD.findall(question.lower())))
    begins = max(0, min(_best(_places(text, asked), length) - length // 3, len(text) - length))
    if begins and (rest := REST_OF_A_WORD.match(text, begins - 1)):
        begins = rest.end()
    ends = min(begins + length, len(text))
    begun = _BEGUN_WORD.search(text, max(begins, ends - 40), ends) if ends < len(text) else None
    return begins, begun.start() if begun else ends


def _places(text: str, asked: set[str]) -> list[tuple[int, str]]:
    """Where the words of the question are in the text, in order."""
    lowered = text.lower()
    found = ((match.start(), _stem(match[0])) for match in _WORD.finditer(lowered))
    return [(place, word) for place, word in found if word in asked] if len(lowered) == len(text) else []


def _stem(word: str) -> str:
    return word[:_STEM] if word.isalpha() else word  # numbers and identifiers are whole


def _best(places: Sequence[tuple[int, str]], length: int) -> int:
    """Where those words begin that are near each other and, counted once, the rarest together."""
    near = length * 2 // 3
    often = Counter(word for _, word in places)
    there: Counter[str] = Counter()
    first = best = last = 0
    score = most = 0.0
    for place, word in places:
        while last < len(places) and places[last][0] < place + near:
            met = places[last][1]
            score += 0 if there[met] else 1 / often[met]
            there[met] += 1
            last += 1
        if score > most + _SAME:
            first, best, most = place, place, score
        elif score > most - _SAME and place < first + near:
            best = place
        there[word] -= 1
        score -= 0 if there[word] else 1 / often[word]
    return best


def part_shown(text: str, part: Part | None) -> str:
    """That part of a text, with a mark where something is left out; None: all of it."""
    begins, ends = part or (0, len(text))
    return f"{CUT if begins else ''}{text[begins:ends]}{f' {CUT}'.rstrip() if ends < len(text) else ''}"
