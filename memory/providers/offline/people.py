"""Who else is in a person's life: family, friends and animals, by relation and by name."""

import re
from dataclasses import dataclass, field, replace

from memory.providers.offline.clauses import Clause, without_adverbs
from memory.providers.offline.moments import MONTHS, WEEKDAYS
from memory.providers.offline.patterns import pattern
from memory.providers.offline.rewriting import first_person

PARTNERS = frozenset("wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse".split())
PETS = frozenset(
    "dog cat pup puppy kitten hamster rabbit bunny horse pony parrot canary tortoise turtle fish goldfish bird "
    "budgie lizard snake ferret gecko parakeet pug labrador poodle terrier beagle cockatiel chicken".split()
) | {"guinea pig", "golden retriever", "german shepherd"}
_SHE = frozenset(
    "sister mother mum mom mama mommy mummy wife girlfriend daughter aunt auntie niece grandmother grandma granny "
    "nan nana gran stepmother stepmom stepsister fiancee fiancée stepdaughter goddaughter godmother ex-wife "
    "ex-girlfriend".split()
)
_HE = frozenset(
    "brother father dad papa daddy husband boyfriend son uncle nephew grandfather grandpa granddad grandad "
    "stepfather stepdad stepbrother stepson godson godfather ex-husband ex-boyfriend".split()
)
_EITHER = frozenset(
    "partner spouse fiance fiancé cousin friend roommate flatmate housemate colleague coworker co-worker boss "
    "manager teacher therapist coach doctor neighbour neighbor mentor mentee ex twin sibling kid child baby toddler "
    "grandchild grandson granddaughter landlord landlady tutor trainer assistant supervisor professor psychologist "
    "psychiatrist goddaughter pet mother-in-law father-in-law sister-in-law brother-in-law son-in-law "
    "daughter-in-law bandmate teammate classmate student nanny babysitter dentist".split()
)
# Of whom something is worth keeping when they have a name, or when it is an event.
DISTANT = frozenset(
    "friend roommate flatmate housemate colleague coworker co-worker boss manager teacher coach doctor neighbour "
    "neighbor mentee landlord landlady tutor trainer assistant supervisor professor bandmate teammate classmate "
    "student nanny babysitter dentist".split()
)
_PLURAL = {
    "parents": "parents", "kids": "kid", "children": "child", "grandparents": "grandparents", "sisters": "sister",
    "brothers": "brother", "sons": "son", "daughters": "daughter", "siblings": "sibling", "cousins": "cousin",
    "in-laws": "in-laws", "twins": "twin", "nephews": "nephew", "nieces": "niece", "grandkids": "grandchild",
    "grandchildren": "grandchild", "boys": "son", "girls": "daughter", "twin boys": "son", "puppies": "puppy",
    "flatmates": "flatmate", "roommates": "roommate",
    **{f"{pet}s": pet for pet in PETS if not pet.endswith(("y", "fish"))},
}  # fmt: skip
SINGULAR = _SHE | _HE | _EITHER | PETS
_ADJECTIVE = (
    r"(?:older|elder|younger|little|big|twin|eldest|oldest|youngest|best|baby|late|half|step|new|old|dear|closest"
    r"|only|middle|former|good|close|rescue|ex|black|white|brown|orange)"
)
RELATION = rf"(?:{_ADJECTIVE}[ -])*(?:{'|'.join(sorted(map(re.escape, SINGULAR), key=len, reverse=True))})"
RELATIONS = rf"(?:{_ADJECTIVE}[ -])*(?:{'|'.join(sorted(map(re.escape, _PLURAL), key=len, reverse=True))})"
_NOT_IN_NAMES = (
    r"(?:and|or|in|on|at|is|was|are|who|for|to|from|with|last|next|this|yesterday|today|tomorrow|has|had|have|the|my"
    r"|our|but|so|because|by|of|about|an?|as|when|since|until|lives|works|died|passed|got|will|i|he|she|it|they|we"
    r"|that|which|instead|now)"
)
_NOT_FIRST = (
    r"(?:in|on|at|last|next|this|yesterday|today|who|from|for|with|because|since|when|after|before|two"
    r"|three)\b"
)
NAME = (
    rf"(?!{_NOT_FIRST})[^\W\d_][\w'.-]*(?: (?:d[aeo]s?|van|von|el|al|bin|de la) [^\W\d_][\w'.-]*"
    rf"| (?!{_NOT_IN_NAMES}\b)[^\W\d_][\w'.-]*)?"
)
_NOT_NAMES = frozenset(
    "i he she it we they you the a an my our his her its their your this that these those is are was were am be "
    "been has have had do does did will would can could should may might must not no yes and or but so if then "
    "there here who what when where why how which in on at to of for from with by about as into just also still "
    "already never always really sorry fine ok okay good great happy sad tired back home sure glad thanks hello hi "
    "hey well god mr mrs ms dr said says got gets went came today tomorrow yesterday tonight christmas easter i'm "
    "i've i'll i'd ai dj tv".split()
) | frozenset((*MONTHS, *WEEKDAYS))
_MENTION = pattern(rf"\b(?:my|our) (?P<relation>{RELATION}),? (?P<name>{NAME})")
_APPOSED = pattern(rf"(?:^|[,-] ?)(?P<name>{NAME}), my (?P<relation>{RELATION})\b")
_TOGETHER = pattern(rf"^(?P<who>(?:my|our) {RELATION}(?:,? [^\W\d_][\w'-]*)?|[^\W\d_][\w'-]*) and I ")
_NAMED_RELATION = pattern(rf"^(?:my|our) (?P<relation>{RELATION}),? (?P<name>{NAME})")
_UNNAMED_RELATION = pattern(rf"^(?:my|our) (?P<relation>{RELATION}) (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_SEVERAL = pattern(rf"^(?:my|our) (?P<relation>{RELATIONS}) (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_VERB = re.compile(
    r"^(?: (?P<verb>[a-z]+)\b|(?P<is>'s)(?= (?:an? |\d|allergic|vegan|vegetarian|\w+ing\b)))(?P<rest>.*)$"
)
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

    def next_message(self) -> None:
        """Pronouns don't reach across messages."""
        self.latest = self.unnamed = ""


def noun(relation: str) -> str:
    """The bare noun of a relation: "older sister" -> "sister"."""
    lowered = relation.lower()
    return "guinea pig" if lowered.endswith("guinea pig") else lowered.rsplit(" ", 1)[-1]


def singular(relations: str) -> str:
    """The noun of one of several: "two older sisters" -> "sister"."""
    return _PLURAL.get(noun(relations), noun(relations))


def is_several(relation: str) -> bool:
    """Whether the word stands for more than one: "parents"."""
    return relation.lower().rsplit(" ", 1)[-1] in _PLURAL


def is_name(word: str) -> bool:
    """Whether the word can be a person's name: a capital, or a script that has none, and no everyday word."""
    return (
        bool(word)
        and word[0].isalpha()
        and not word[0].islower()
        and word.lower().rstrip(".") not in _NOT_NAMES
    )


def clean_name(said: str, *, lowercase: bool = False) -> str:
    """The part of `said` that is a name, "" if none is. In an uncapitalised message the name gets its capital."""
    if lowercase and said.lower().split(" ")[0] not in _NOT_NAMES:
        said = said.title().replace("'S", "'s")
    kept: list[str] = []
    for word in said.removesuffix("'s").split(" "):
        if not is_name(word) and not (
            kept and word.lower() in ("da", "de", "do", "dos", "das", "van", "von", "el", "al")
        ):
            break
        kept.append(word.strip(".,;:!-"))
    return " ".join(kept).removesuffix("'s").strip(" '")


def mentions(text: str) -> list[tuple[str, str]]:
    """(relation, name) of everybody who is named beside their relation: "my sister Ana"."""
    found: list[tuple[str, str]] = []
    for match in [*_MENTION.finditer(text), *_APPOSED.finditer(text)]:
        relation, name = match["relation"].lower(), clean_name(match["name"])
        if name and (match.re is _MENTION or noun(relation) not in ("friend", "boss", "coach", "doctor")):
            found.append((relation, name))
    return found


def about_whom(clause: Clause, cast: Cast) -> Clause:
    """The clause seen from the one it is about: "My sister Ana lives in Faro" as "I live in Faro", subject Ana.

    Somebody without a name becomes the subject "their sister".
    """
    if clause.text[:2] == "I " or clause.text[:3].lower() == "we ":
        return clause
    if together := _TOGETHER.match(clause.text):
        rest = clause.text[together.end() :]
        name = clean_name(together["who"]) or (mentions(clause.text) or [("", "")])[0][1]
        if name and " together" in rest:
            return replace(clause, text=f"we {rest.replace(' together', f' with {name}', 1)}")
        return replace(clause, text=f"we {rest}", together=name)
    if found := _NAMED_RELATION.match(clause.text):
        name = clean_name(found["name"])
        if name:
            start = found.start("name") + len(name)
            return _shifted(clause, name, _VERB.match(clause.text[start:]))
    for wording in (_UNNAMED_RELATION, _SEVERAL):
        if found := wording.match(clause.text):
            return _shifted(clause, f"their {found['relation'].lower()}", found)
    return _by_name_or_pronoun(clause, cast)


def _by_name_or_pronoun(clause: Clause, cast: Cast) -> Clause:
    for name in cast.names:
        if clause.text.startswith(f"{name} ") or clause.text.startswith(f"{name}'s "):
            cast.latest = name
            return _shifted(clause, name, _VERB.match(clause.text[len(name) :]))
    found = _PRONOUN.match(clause.text)
    if found and cast.latest and _fits(found["pronoun"].lower(), cast.names.get(cast.latest, "")):
        return _shifted(clause, cast.latest, found)
    return clause


def _shifted(clause: Clause, subject: str, found: re.Match[str] | None) -> Clause:
    if found is None:
        return clause
    verb = "am" if found.groupdict().get("is") else first_person(found["verb"].lower())
    return replace(clause, text=without_adverbs(f"I {verb}{found['rest']}"), subject=subject)


def _fits(pronoun: str, relation: str) -> bool:
    who = noun(relation) if relation else ""
    if pronoun == "it":
        return who in PETS
    return who not in (_HE if pronoun == "she" else _SHE)
