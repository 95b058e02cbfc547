"""Reads rules.toml, and converts between what is said and what is stored: "I love my garden", "Loves their garden"."""

import re
import tomllib
from functools import cache, reduce
from pathlib import Path
from typing import Any

from providers.normal_form import normal_form

RULES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("rules.toml").read_text())
WORDS: dict[str, frozenset[str]] = {name: frozenset(words.split()) for name, words in RULES["words"].items()}


def pattern(text: str) -> re.Pattern[str]:
    """Compile a case-insensitive pattern. It is only matched against short clauses."""
    return re.compile(text, re.IGNORECASE)


def with_parts(text: str, parts: dict[str, str]) -> str:
    """Replace the names of parts, such as <NAME>."""
    return reduce(lambda done, part: done.replace(f"<{part[0]}>", part[1]), parts.items(), text)


def _read_parts() -> dict[str, str]:
    """The named parts of patterns; a part may use earlier ones."""
    longest = {name: sorted(map(re.escape, words), key=len, reverse=True) for name, words in WORDS.items()}
    parts = {f"ANY_{name.upper()}": f"(?:{'|'.join(words)})" for name, words in longest.items()}
    for name, text in RULES["parts"].items():
        parts[name] = with_parts("".join(text.splitlines()), parts)
    return parts


PARTS = _read_parts()


@cache
def part(name: str) -> re.Pattern[str]:
    """The compiled part of that name in rules.toml."""
    return pattern(PARTS[name])


_NOT_PAST = frozenset("need feed speed succeed proceed breed bleed".split())
_MODALS = frozenset("will would can cannot could must may might should used no never not".split())
_THIRD = {"am": "is", "are": "is", "have": "has", "do": "does", "go": "goes"}
_FIRST = {
    "is": "am",
    "are": "am",
    "were": "was",
    **{third: first for first, third in _THIRD.items() if third != "is"},
}
_PRONOUNS = {
    "i am": "they are", "we are": "they are", "i was": "they were", "i have": "they have", "i": "they", "me": "them",
    "my": "their", "mine": "theirs", "myself": "themselves", "we": "they", "us": "them", "our": "their",
    "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
_PRONOUN = re.compile(rf"\b({'|'.join(sorted(_PRONOUNS, key=len, reverse=True))})\b", re.IGNORECASE)
_ADVERBS = ("always", "usually", "often", "never", "sometimes", "mostly")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DATE_NUMBER = re.compile(r"(?:[12]?\d|3[01]|(?:19|20)\d\d)\Z")
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|ie[sd]|ers?|ed|es|s)$")
_SAME_WORD = {
    "ran": "run", "went": "go", "bought": "buy", "wrote": "write", "won": "win", "met": "meet", "took": "take",
    "mum": "mother", "mom": "mother", "dad": "father", "wedding": "marry", "married": "marry", "marriage": "marry",
}  # fmt: skip
PARTNERS = frozenset("wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse".split())
PETS, DISTANT = WORDS["pets"], WORDS["distant"]
RELATIVES = {
    "pet": PETS | {"pet"},
    "child": frozenset("son daughter child kid baby stepson stepdaughter".split()),
    "sibling": frozenset("sister brother sibling twin".split()),
    "parent": frozenset("mother father mum mom dad parent parents".split()),
    "friend": frozenset(["friend"]),
}
NAME, RELATION, RELATIONS = PARTS["NAME"], PARTS["RELATION"], PARTS["RELATIONS"]
_SINGULAR = {
    "parents": "parents", "children": "child", "grandparents": "grandparents", "puppies": "puppy", "boys": "son",
    "girls": "daughter", "grandchildren": "grandchild",
    **{f"{one}s": one for kind in ("pets", "others", "she", "he", "distant") for one in WORDS[kind]},
}  # fmt: skip
_PARTICLES = ("da", "de", "do", "dos", "das", "van", "von", "el", "al")
_MENTION = pattern(rf"\b(?:my|our) (?P<relation>{RELATION}),? (?P<name>{NAME})")


def is_past(verb: str) -> bool:
    """Return whether a verb is in the past tense ("went", "visited", "quit")."""
    return verb in WORDS["past"] or (len(verb) > 3 and verb.endswith("ed") and verb not in _NOT_PAST)


def third_person(verb: str) -> str:
    """The form for she or he: go -> goes, study -> studies, went -> went, will -> will."""
    if verb in _THIRD or verb in _MODALS or is_past(verb):
        return _THIRD.get(verb, verb)
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"


def first_person(verb: str) -> str:
    """The form for I: goes -> go, studies -> study, went -> went."""
    if verb in _FIRST or is_past(verb) or not verb.endswith("s") or verb.endswith("ss"):
        return _FIRST.get(verb, verb)
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if verb.endswith(("ches", "shes", "xes", "zes", "sses")) else verb[:-1]


def about_them(text: str) -> str:
    """Turn the speaker's pronouns into the third person: "my dog and I" -> "their dog and they"."""
    return _PRONOUN.sub(lambda found: _PRONOUNS[found.group().lower()], text)


def statement(text: str) -> str:
    """The stored form of a clause that begins with I or we: "I went to my sister's" -> "Went to their sister's"."""
    words_ = text.split(" ")
    if words_[0].lower() == "there":
        return capitalised(about_them(text))
    rest = words_[1:] if words_[0].lower() in ("i", "we") else words_
    place = 1 if len(rest) > 1 and rest[0].lower() in _ADVERBS else 0
    return capitalised(
        about_them(" ".join([*rest[:place], third_person(rest[place].lower()), *rest[place + 1 :]]))
    )


def no_longer(text: str) -> str:
    """Mark a stored statement as over: "Lives in Faro" -> "No longer lives in Faro"."""
    verb, _, rest = text.partition(" ")
    return f"Is no longer {rest}" if verb == "Is" else f"No longer {uncapitalised(text)}"


def capitalised(text: str) -> str:
    """`text` trimmed, without punctuation at its end, and with a capital first letter."""
    text = " ".join(text.split()).strip(" ,;:.!-")
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """The form of a statement after a name: "Lives in Faro" -> "lives in Faro"."""
    return text[:1].lower() + text[1:]


def plural(text: str) -> str:
    """The form of a statement about several people: "Is visiting them" -> "are visiting them"."""
    verb, _, rest = text.partition(" ")
    several = {"is": "are", "was": "were", "has": "have"}.get(verb.lower()) or first_person(verb.lower())
    return f"{several} {rest}"


def with_article(noun: str) -> str:
    """The noun with a or an: "only child" -> "an only child"."""
    vowel = noun[:1].lower() in "aeiou" and not noun.lower().startswith(("uni", "eu"))
    return f"an {noun}" if vowel else f"a {noun}"


def folded(text: str) -> str:
    """`text` for comparisons, which ignore Unicode form, case, white space and punctuation at the end."""
    plain = normal_form("NFKC", text).replace("\u2019", "'").casefold()
    return " ".join(plain.split()).rstrip(" .!?,;:")


def words(text: str) -> frozenset[str]:
    """The significant words of `text`, stemmed, so that "running" finds "run"; without stop words and numbers of
    dates.
    """
    return frozenset(
        stem(word)
        for word in _WORD.findall(text.lower())
        if word not in WORDS["stop"]
        and not _DATE_NUMBER.match(word)
        and (len(word) > 1 or not word.isascii())
    )


def stem(word: str) -> str:
    """The stem of a word in lower case: running, runner, ran -> run."""
    word = _SAME_WORD.get(word.removesuffix("'s"), word.removesuffix("'s"))
    if found := _ENDING.search(word):
        word = word[: found.start()] + ("y" if found[0] in ("ies", "ied") else "")
        if found[0][-1] in "gdr" and word[-1] == word[-2] and word[-1] not in "ls":
            return word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def overlap(wanted: frozenset[str], there: frozenset[str]) -> float:
    """The share of the wanted words that are there, from 0 to 1."""
    return len(wanted & there) / len(wanted) if wanted else 0.0


def noun(relation: str) -> str:
    """The singular noun of a relation: "two older sisters" -> "sister"."""
    last = relation.lower().rsplit(" ", 1)[-1]
    return _SINGULAR.get(last, last)


def is_several(relation: str) -> bool:
    """Return whether a relation is plural: "parents"."""
    return relation.lower().rsplit(" ", 1)[-1] in _SINGULAR


def is_name(word: str) -> bool:
    """Return whether a word can be a name: capitalised, or in a script without capitals, and not an everyday word."""
    everyday = word.lower().rstrip(".") in WORDS["not_names"]
    return bool(word) and word[0].isalpha() and not word[0].islower() and not everyday


def clean_name(said: str, *, lowercase: bool = False) -> str:
    """The name at the beginning of `said`; "" if there is none. `lowercase`: the message has no
    capitals, so add them.
    """
    if lowercase and said.lower().split(" ")[0] not in WORDS["not_names"]:
        said = said.title().replace("'S", "'s")
    kept: list[str] = []
    for word in said.removesuffix("'s").split(" "):
        if not is_name(word) and not (kept and word.lower() in _PARTICLES):
            break
        kept.append(word.strip(".,;:!-"))
    return " ".join(kept).removesuffix("'s").strip(" '")


def mentions(text: str) -> list[tuple[str, str]]:
    """(relation, name) of everybody who is named with a relation: "my sister Ana"."""
    found = [(match["relation"].lower(), clean_name(match["name"])) for match in _MENTION.finditer(text)]
    return [(relation, name) for relation, name in found if name]
