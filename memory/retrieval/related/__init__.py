"""Words that are looked up together with those of a question: their other forms, and similar words. Pure.

A stemmer joins "buying" and "buys", but not "bought"; nor does it know that a kid is a child, or a guitar an
instrument. Only the question is widened, the index is not. What each is worth: docs/reference/recall.md. The words of a
language are in the file with its name in this folder; without a file nothing is added.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

NEAR = 0.2  # what a similar word counts, relative to the word itself
MOST = 20  # words of a search, including these, as each costs a look-up in every text
_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 2  # letters before an ending


class Related(NamedTuple):
    """For one word of the question of this number. `forms`: what counts like it; `near`: what counts NEAR, where there
    are vectors only if it does so `beside_vectors`.
    """

    question: int
    forms: str
    near: str
    beside_vectors: bool = False


class _Family(NamedTuple):
    """The words that belong to a word."""

    forms: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


def related_to(questions: Sequence[str], language: str | None) -> list[Related]:
    """The related words of `questions`, which are written as in the index: MOST words altogether, forms first."""
    if language is None or not _families(language):
        return []
    asked = [dict.fromkeys(_WORD.findall(text)) for text in questions]
    left = MOST - sum(map(len, asked))
    found = [
        (number, word, family)
        for number, words in enumerate(asked)
        for word in words
        if left > 0 and (family := _family_of(language, word))
    ]
    forms, left = _first([family.forms for _, _, family in found], left)
    near, _ = _first([family.near for _, _, family in found], left)
    return [
        Related(number, f"{word} {same}", others)
        for (number, word, _), same, others in zip(found, forms, near, strict=True)
        if same or others
    ]


def _first(groups: Sequence[Sequence[str]], most: int) -> tuple[list[str], int]:
    """The first words of each group, `most` altogether; and how many more are possible."""
    taken = []
    for words in groups:
        taken.append(" ".join(words[: max(most, 0)]))
        most -= len(words)
    return taken, most


@lru_cache(maxsize=8192)
def _family_of(language: str, word: str) -> _Family | None:
    """The family of the word, or of the word without a regular ending."""
    families = _families(language)
    return next((families[base] for base in _bases(language, word) if base in families), None)


def _bases(language: str, word: str) -> Iterator[str]:
    yield word
    for ending, instead in _told(language)["endings"]:
        if word.endswith(ending) and len(word) >= len(ending) + _SHORTEST:
            base = word.removesuffix(ending) + instead
            yield base
            if base[-1] == base[-2]:  # "swimming"
                yield base[:-1]


@cache
def _families(language: str) -> Mapping[str, _Family]:
    """The families by word; none without a file for the language."""
    told = _told(language)
    forms = {word: group for group in _groups(told.get("forms", "")) for word in group}
    near: dict[str, list[str]] = defaultdict(list)
    for group in _groups(told.get("near", "")):
        for word in group:
            near[word] += group
    for first, *others in _groups(told.get("kinds", "")):
        near[first] += others
    return {word: _family(word, forms, near) for word in {*forms, *near}}


@cache
def _told(language: str) -> dict[str, Any]:
    file = Path(__file__).with_name(f"{language}.toml")
    return tomllib.loads(file.read_text()) if file.is_file() else {}


def _family(word: str, forms: Mapping[str, Sequence[str]], near: Mapping[str, Sequence[str]]) -> _Family:
    own = forms.get(word, [word])
    others = [same for each in own for other in near.get(each, ()) for same in forms.get(other, [other])]
    return _Family(
        tuple(one for one in own if one != word),
        tuple(one for one in dict.fromkeys(others) if one not in own),
    )


def _groups(told: str) -> Iterator[list[str]]:
    return (group.split() for group in told.replace("\n", "|").split("|") if group.strip())
