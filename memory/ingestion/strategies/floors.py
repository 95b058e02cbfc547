"""Floors of importance: certain phrases in the person's message set a minimum, whatever a model's score.

After Emotion Machine's first version, which scored whole messages. Here each sentence has its own floor, so that a name
raises what is kept of it, but not the weather beside it. Pure.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.ingestion.strategies.options import Floor
from memory.words import WORD

LONGEST = 400  # characters of a sentence; of a longer one, those around the phrase
_SENTENCES = re.compile(r"(?<=[.!?…])(?<!\b(?:Dr|Mr|Ms|St)\.)(?<!\b(?:Mrs)\.)(?<!\b[A-Z]\.)\s+|\n+")
_FORGET = re.compile(
    r"^\W*(?:(?:please|now|and|so|just|ok|okay|can you|could you|would you|you can|you should)\W+)*"
    r"(?:forget|delete|erase|remove|don't (?:remember|keep|store|save))\b",
    re.IGNORECASE,
)
_WORD = re.compile(WORD)
_SILENT = frozenset(
    "a an the to of in on at for with and or but so it its this that these those them him her you your me my mine i we "
    "is are was were be been am do did does done have has had just really very much more so too all also not no now "
    "then there here what when how who why which s t re ve ll m d".split()
)
_STEM = 5  # letters by which words match: paint, painting


class Told(NamedTuple):
    """A sentence of a message, and its highest floor; None: it has no such phrase."""

    message: int
    text: str
    floor: Floor | None
    words: frozenset[str]


class Sentences(list[Told]):
    """Sentences. `places`: of those that have a word."""

    @cached_property
    def least(self) -> NDArray[np.float64]:
        """The floor of each, 0 without one."""
        return np.array([told.floor.at_least if told.floor else 0.0 for told in self])

    @cached_property
    def places(self) -> dict[str, NDArray[np.int64]]:
        places = defaultdict[str, list[int]](list)
        for place, told in enumerate(self):
            for word in told.words:
                places[word].append(place)
        return {word: np.array(found) for word, found in places.items()}


def sentences_of(message: int, text: str, floors: Iterable[Floor]) -> Sentences:
    """A message's sentences, each with its floor. `message` is its number."""
    floors = list(floors)
    parts = (part.strip() for part in _SENTENCES.split(text.replace("’", "'")))
    return Sentences(_told(message, part, floors) for part in parts if part)


def floor_over(content: str, sentences: Sentences) -> Told | None:
    """The sentence a memory was made from: the one with most of its words; of equals, the one with the highest floor.

    None without sentences. Words are compared by their beginning, whatever the language.
    """
    if not sentences:
        return None
    shared = np.zeros(len(sentences), dtype=np.int64)
    for word in telling_words(content) & sentences.places.keys():
        shared[sentences.places[word]] += 1
    most = np.flatnonzero(shared == shared.max())
    found: Told = sentences[most[np.argmax(sentences.least[most])]]
    return found


def telling_words(text: str) -> frozenset[str]:
    """The meaningful words of a text, by their first letters."""
    words = _WORD.findall(text.casefold())
    return frozenset(word[:_STEM] for word in words if word not in _SILENT)


def _told(message: int, sentence: str, floors: Sequence[Floor]) -> Told:
    asks = sentence.rstrip("\"') ").endswith("?")
    best: Floor | None = None
    place = 0
    for floor in floors if not _FORGET.search(sentence) else ():
        found = _telling(floor.phrases, floor.unless).search(sentence)
        if found is None or (asks and not floor.in_questions):
            continue
        rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
        if telling_words(rest) and (best is None or floor.at_least > best.at_least):
            best, place = floor, found.start()
    text = _cut(sentence, place)
    if best is None:
        return Told(message, text, None, telling_words(text))
    return Told(message, text, best, telling_words(_telling(best.phrases, best.unless).sub(" ", text)))


def _cut(sentence: str, place: int) -> str:
    if len(sentence) <= LONGEST:
        return sentence
    start = max(0, place - LONGEST // 4)
    return sentence[start : start + LONGEST].strip()


@lru_cache(maxsize=256)
def _telling(phrases: tuple[str, ...], unless: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for any of the phrases as whole words, unless one of `unless` is there."""
    barred = f"(?!(?:{'|'.join(map(_spelt, unless))})(?!\\w))" if unless else ""
    return re.compile(rf"(?<!\w){barred}(?:{'|'.join(map(_spelt, phrases))})(?!\w)", re.IGNORECASE)


def _spelt(phrase: str) -> str:
    return r"\s+".join(map(re.escape, phrase.replace("’", "'").split()))
