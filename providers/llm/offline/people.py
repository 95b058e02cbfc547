"""Who else is in a person's life: family, friends and animals, by relation and by name."""

import re
from dataclasses import dataclass, field, replace

from providers.llm.offline.clauses import Clause, without_adverbs
from providers.llm.offline.patterns import PARTS, WORDS, pattern
from providers.llm.offline.wording import first_person

PARTNERS = frozenset("wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse".split())
PETS, DISTANT = WORDS["pets"], WORDS["distant"]
NAME, RELATION, RELATIONS = PARTS["NAME"], PARTS["RELATION"], PARTS["RELATIONS"]
_SINGULAR = {
    "parents": "parents", "children": "child", "grandparents": "grandparents", "puppies": "puppy", "boys": "son",
    "girls": "daughter", "grandchildren": "grandchild",
    **{f"{one}s": one for kind in ("pets", "others", "she", "he", "distant") for one in WORDS[kind]},
}  # fmt: skip
_PARTICLES = ("da", "de", "do", "dos", "das", "van", "von", "el", "al")
_MENTION = pattern(rf"\b(?:my|our) (?P<relation>{RELATION}),? (?P<name>{NAME})")
_TOGETHER = pattern(rf"^(?P<who>(?:my|our) {RELATION}(?:,? [^\W\d_][\w'-]*)?|[^\W\d_][\w'-]*) and I ")
_NAMED = pattern(rf"^(?:my|our) {RELATION},? (?P<name>{NAME})")
_UNNAMED = pattern(rf"^(?:my|our) (?P<relation>{RELATION}|{RELATIONS}) (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_VERB = re.compile(r"^ (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_PRONOUN = pattern(r"^(?P<pronoun>he|she|it) (?P<verb>[a-z]+)\b(?P<rest>.*)$")


@dataclass(slots=True)
class Cast:
    """The people and animals of one reading: who has been named, and whom a pronoun would mean."""

    names: dict[str, str] = field(default_factory=dict)  # name -> relation, "" where it is not known
    latest: str = ""  # the one last named in this message
    unnamed: str = ""  # the relation last spoken of without a name

    def meet(self, name: str, relation: str) -> None:
        """Somebody is named in this message."""
        self.names[name] = relation or self.names.get(name, "")
        self.latest = name


def noun(relation: str) -> str:
    """The bare noun of one or several: "two older sisters" -> "sister"."""
    last = relation.lower().rsplit(" ", 1)[-1]
    return _SINGULAR.get(last, last)


def is_several(relation: str) -> bool:
    """Whether the word stands for more than one: "parents"."""
    return relation.lower().rsplit(" ", 1)[-1] in _SINGULAR


def is_name(word: str) -> bool:
    """Whether it can be a name: a capital, or a script that has none, and no everyday word."""
    everyday = word.lower().rstrip(".") in WORDS["not_names"]
    return bool(word) and word[0].isalpha() and not word[0].islower() and not everyday


def clean_name(said: str, *, lowercase: bool = False) -> str:
    """The part of `said` that is a name, "" if none is. In an uncapitalised message the name gets its capital."""
    if lowercase and said.lower().split(" ")[0] not in WORDS["not_names"]:
        said = said.title().replace("'S", "'s")
    kept: list[str] = []
    for word in said.removesuffix("'s").split(" "):
        if not is_name(word) and not (kept and word.lower() in _PARTICLES):
            break
        kept.append(word.strip(".,;:!-"))
    return " ".join(kept).removesuffix("'s").strip(" '")


def mentions(text: str) -> list[tuple[str, str]]:
    """(relation, name) of everybody who is named beside their relation: "my sister Ana"."""
    found = [(match["relation"].lower(), clean_name(match["name"])) for match in _MENTION.finditer(text)]
    return [(relation, name) for relation, name in found if name]


def about_whom(clause: Clause, cast: Cast) -> Clause:
    """The clause seen from the one it is about: "My sister Ana lives in Faro" as "I live in Faro", subject Ana.

    Somebody without a name becomes the subject "their sister".
    """
    text = clause.text
    if text[:2] == "I " or text[:3].lower() == "we ":
        return clause
    if found := _TOGETHER.match(text):
        rest = text[found.end() :]
        name = clean_name(found["who"]) or (mentions(text) or [("", "")])[0][1]
        return replace(clause, text=f"we {rest}", together=name)
    if (found := _NAMED.match(text)) and (name := clean_name(found["name"])):
        return _shifted(clause, name, _VERB.match(text[found.start("name") + len(name) :]))
    if found := _UNNAMED.match(text):
        return _shifted(clause, f"their {found['relation'].lower()}", found)
    for name in cast.names:
        if text.startswith(f"{name} "):
            cast.latest = name
            return _shifted(clause, name, _VERB.match(text[len(name) :]))
    found = _PRONOUN.match(text)
    if found and cast.latest and _fits(found["pronoun"].lower(), cast.names.get(cast.latest, "")):
        return _shifted(clause, cast.latest, found)
    return clause


def _shifted(clause: Clause, subject: str, found: re.Match[str] | None) -> Clause:
    if found is None:
        return clause
    text = without_adverbs(f"I {first_person(found['verb'].lower())}{found['rest']}")
    return replace(clause, text=text, subject=subject)


def _fits(pronoun: str, relation: str) -> bool:
    who = noun(relation) if relation else ""
    return who in PETS if pronoun == "it" else who not in WORDS["he" if pronoun == "she" else "she"]
