"""Whom a text means without their name: Ines by "my boss", if an entry says that she is that; by "she", whoever was
named just before. Pure, in linear time.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from memory.dates import MONTHS, WEEKDAYS
from memory.mending.wishes import RELATIONS, SAME, STOP
from memory.models import USER_SUBJECT
from memory.retrieval.idle_messages import WORDS
from memory.words import WORD, fold, normal

MOST_MEANT = 5  # people whom one "my friend" may mean
MOST_ROLES = 8  # of a text, the first
LONGEST = 2000  # characters that are read of a text
LONGEST_LEANING = 80  # characters of a question that leans on what was said before
LONGEST_TOLD = 300  # characters that are read of an entry
_TOLD: dict[str, Any] = tomllib.loads(Path(__file__).with_name("coreference.toml").read_text())


def _folded(name: str) -> frozenset[str]:
    return frozenset(map(fold, _TOLD[name].split()))


_ROLES = RELATIONS | _folded("roles")
_POSSESSIVES, _LINKS, _BEFORE, _OF = map(_folded, ("possessives", "links", "before", "of"))
# With their accents: "où" is not "ou", "él" not "el".
_PRONOUNS, _GOES_ON, _IT, _THAT = (
    frozenset(_TOLD[name].split()) for name in ("pronouns", "goes_on", "it", "that")
)
_NO_NAMES = frozenset().union(STOP, WORDS, _ROLES, map(fold, (*MONTHS, *WEEKDAYS)))
_SAY_LITTLE = frozenset().union(STOP, WORDS, map(fold, _PRONOUNS | _GOES_ON | _IT | _THAT))
_WORDS = re.compile(rf"(?P<word>{WORD}(?:-{WORD})*)(?P<own>['’]s?(?!\w))?|[^\w\s]")
# A sentence that says who somebody is, by the kind of each of its words: the (N)ame, the (R)ole, a (L)ink between them,
# words (B)efore nouns, whose it is (P), o(f), others with a (C)apital letter, others (x). A comma divides. The groups
# are whose it is: "Pavel is Hanna's husband".
_SAYS_WHO = re.compile(
    r"N[NC]*,?(?:x?L+)?(?:[Bf]*(?:(P)|[Bf])[xC]{0,2})?R(?:f[Bf]*([CP]))?"
    r"|(P)?R(?:f[Bf]*([CP]),?L+|(?:[xC]?L+|,)?)B?N"
)


class Roles(NamedTuple):
    """Who is spoken of: `surely` are words for people, each with others for the same; `maybe` are others after "my"."""

    surely: tuple[frozenset[str], ...]
    maybe: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.maybe.union(*self.surely)


def roles_in(text: str) -> Roles:
    """The words of a text that say who somebody is to the person."""
    words = [fold(word["word"]) for word in _WORDS.finditer(normal(text[:LONGEST])) if word["word"]]
    surely = _first(form for word in words for form in (word, word.removesuffix("s")) if form in _ROLES)
    owned = (word for before, word in pairwise(words) if before in _POSSESSIVES)
    maybe = _first(word for word in owned if word not in STOP and word not in surely)
    return Roles(tuple(map(_with_same, surely)), frozenset(maybe))


def _first(roles: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(roles))[:MOST_ROLES]


def _with_same(role: str) -> frozenset[str]:
    """With the other words for the same: the manager is the boss."""
    return frozenset({role}).union(*(group for group in SAME if role in group))


def called(roles: Collection[str], told: Iterable[tuple[str, str]], *, user: str = "") -> list[str]:
    """The names of those who are that, as entries say, each given by its subject and text: at most MOST_MEANT.

    Somebody else's boss counts only if that is somebody who is meant: "my sister's boss". `user`: the person's name.
    """
    if not roles:
        return []
    own, said = set(_parts(user)), [(name, _whose(name, text, roles)) for name, text in told]
    meant = [name for name, whose in said if whose is not None and (not whose or not own.isdisjoint(whose))]
    owners = {part for name in meant for part in _parts(name)}
    meant += [name for name, whose in said if whose is not None and not owners.isdisjoint(whose)]
    return list(dict.fromkeys(meant))[:MOST_MEANT]


def _parts(name: str) -> list[str]:
    return [fold(part) for part in re.findall(WORD, name)]


def _whose(name: str, text: str, roles: Collection[str]) -> frozenset[str] | None:
    """Whose boss the text says that `name` is, in possible spellings; none if it says of nobody else. None: it does not
    say that at all.
    """
    said = fold(text[:LONGEST_TOLD])
    if name in ("", USER_SUBJECT) or not any(role in said for role in roles):
        return None
    parts = set(_parts(name))
    if not parts.isdisjoint(roles):
        return None
    words = list(_kinds(text[:LONGEST_TOLD], parts, roles))
    match = _SAYS_WHO.search("".join(kind for _, kind in words))
    if match is None:
        return None
    owner = next((words[match.start(group)][0] for group in range(1, 5) if match[group]), "")
    return frozenset({owner, owner.removesuffix("s")} - {""})


def _kinds(text: str, name: Collection[str], roles: Collection[str]) -> Iterator[tuple[str, str]]:
    """The words of a text, folded, each with its kind in _SAYS_WHO."""
    for match in _WORDS.finditer(normal(text)):
        written = match["word"]
        word = fold(written or "")
        if not written:
            kind = "," if match[0] in ",(:-–—" else "."
        elif word in name and not match["own"]:
            kind = "N"
        elif word in roles:
            kind = "R"
        elif word in _OF:
            kind = "f"
        elif word in _BEFORE or word == USER_SUBJECT:
            kind = "B"
        elif word in _LINKS:
            kind = "L"
        elif written[0].isupper():
            kind = "P" if match["own"] or word.endswith("s") else "C"
        else:
            kind = "x"
        yield word, kind


def refers_back(question: str) -> bool:
    """Return whether a question is about somebody or something that was named before: "And where does she live?"."""
    words = _accented(question[:LONGEST])
    return not _PRONOUNS.isdisjoint(words) or not _GOES_ON.isdisjoint(words[:1])


def says_little(question: str) -> bool:
    """Return whether a question means hardly anything without what was said before: "And how much was it?"."""
    if len(question) > LONGEST_LEANING:
        return False
    words = _accented(question)
    leans = not _GOES_ON.isdisjoint(words[:1]) and _PRONOUNS.isdisjoint(words)
    leans = leans or not _IT.isdisjoint(words) or not _THAT.isdisjoint(words[-1:])
    return leans and sum(fold(word) not in _SAY_LITTLE for word in words) <= 1


def _accented(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(WORD, normal(text))]


def names_in(text: str, *, without: Iterable[str] = ()) -> list[str]:
    """The words of a text that may be names, as they have a capital letter; `without` are names of the two who talk."""
    talking = {part for name in without for part in _parts(name)}
    capital = (word for word in re.findall(WORD, normal(text[:LONGEST])) if word[0].isupper())
    return [word for word in dict.fromkeys(capital) if fold(word) not in talking | _NO_NAMES][:MOST_MEANT]
