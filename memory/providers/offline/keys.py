"""Which key of a vocabulary a kept statement goes under, and its bare value: "Lives in Lisbon" is city, Lisbon."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern

# Names that vocabularies give to a kind of statement, the narrowest first; the first that is known has it.
NAMES: dict[str, tuple[str, ...]] = {
    "city": ("city", "current_city", "home_city", "location", "residence"),
    "home": ("home", "address", "neighbourhood", "city", "location"),
    "household": ("household", "lives_with", "family"),
    "move": ("moving_to", "planned_move", "plan", "goal"),
    "name": ("name", "preferred_name", "nickname", "first_name"),
    "surname": ("surname", "last_name", "name"),
    "age": ("age",),
    "birthday": ("birthday", "date_of_birth", "birth_date"),
    "birthyear": ("birth_year", "birthday"),
    "birthplace": ("birthplace", "place_of_birth", "hometown", "origin"),
    "origin": ("origin", "hometown", "nationality", "home_country", "country"),
    "timezone": ("timezone",),
    "diet": ("diet", "dietary_restriction", "constraint"),
    "health": ("allergy", "health", "health_condition", "dietary_restriction", "constraint"),
    "like": ("likes", "like", "interest", "hobby", "preference"),
    "dislike": ("dislikes", "dislike", "preference"),
    "prefer": ("prefers", "preference", "likes", "like"),
    "favourite": ("favourite", "favorite", "favourites", "preference", "likes", "like"),
    "speaks": ("language", "languages", "speaks"),
    "role": ("occupation", "job", "job_title", "role", "profession"),
    "employer": ("employer", "company", "workplace"),
    "work": ("occupation", "job", "employment", "work", "job_title"),
    "partner": ("partner", "relationship_status", "spouse", "family"),
    "goal": ("goal", "goals", "plan"),
    "event": ("event", "upcoming_event", "events", "appointment"),
    "preference": ("preference", "likes", "like"),
    "relationship": ("family", "family_member", "person", "friend"),
    "identity": ("background", "trait", "about", "fact", "note", "other"),
    "other": ("fact", "note", "other", "habit"),
}
_PETS = {
    "dog",
    "cat",
    "pet",
    "puppy",
    "kitten",
    "rabbit",
    "hamster",
    "parrot",
    "bird",
    "horse",
    "fish",
    "turtle",
}
_CHILDREN = {"son", "daughter", "child", "kid", "baby", "twin", "stepson", "stepdaughter"}
_FRIENDS = {
    "friend",
    "colleague",
    "neighbour",
    "neighbor",
    "boss",
    "roommate",
    "flatmate",
    "coworker",
    "teacher",
}
_PEOPLE = (
    (_PETS, ("pet", "pets")),
    (_CHILDREN, ("child", "children", "kids", "family", "family_member")),
    (_FRIENDS, ("friend", "friends", "colleague", "person", "people")),
)
_ROLE = pattern(r"^(?:.*? )?works (?:as|in) (?:an? )?(?P<role>.+?)(?: (?:at|for) (?P<employer>.+))?$")
_EMPLOYER = pattern(r"^(?:.*? )?works (?:at|for) (?P<employer>.+)$")
_ROLE_IS = pattern(r"^is (?:currently )?an? (?P<role>.+)$")
_VERB = pattern(
    r"^(?:(?:now|really|also|currently) )*(?:likes?|loves?|enjoys?|adores?|dislikes?|hates?|prefers?|speaks?"
    r"|is (?:allergic|sensitive) to|is|has an?|has|wants to|is planning to|plans to|hopes to|would like to"
    r"|lives with|home is (?:in|at|near|on)|does not like|no longer likes?) "
)


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key and the value it gets."""

    key: str
    value: str


def key_line(line: Line, known: Collection[str]) -> Keyed | None:
    """Where a statement belongs. None where the vocabulary has no place for it."""
    kind = line.slot.kind
    if kind in ("person", "people"):
        return _person(line, known)
    if kind == "work":
        return _work(line, known)
    if kind == "attitude":
        kind = line.slot.value
    names = (line.key or "", *NAMES.get(kind, ()), line.type, *NAMES.get(line.type, ()))
    return _first(names, _value(line, kind), known)


def _value(line: Line, kind: str) -> str:
    """The bare value in the words of the statement; the whole of it where it is more than a value."""
    if line.slot.negated or line.subject != "user":
        return line.content
    if kind in (
        "like",
        "dislike",
        "prefer",
        "speaks",
        "health",
        "goal",
        "preference",
        "household",
        "home",
        "diet",
    ):
        return _VERB.sub("", line.content)
    if kind in ("favourite", "partner", "move"):
        return line.content
    found = re.search(re.escape(line.slot.value), line.content, re.IGNORECASE) if line.slot.value else None
    return found[0] if found else line.content


def _work(line: Line, known: Collection[str]) -> Keyed | None:
    """A role and an employer; where one sentence tells both, the role has it, for it says most."""
    found = _ROLE.match(line.content) or _ROLE_IS.match(line.content)
    if found and not line.slot.negated:
        at = found.groupdict().get("employer")
        keyed = _first(NAMES["role"], found["role"] + (f" at {at}" if at else ""), known)
        if keyed:
            return keyed
    if employed := _EMPLOYER.match(line.content):
        keyed = _first(NAMES["employer"], employed["employer"], known)
        if keyed:
            return keyed
    return _first((*NAMES["work"], *NAMES["other"]), line.content, known)


def _person(line: Line, known: Collection[str]) -> Keyed | None:
    who = next(iter(line.slot.about), "")
    value = _VERB.sub("", line.content)
    for kinds, names in _PEOPLE:
        if any(kind.startswith(who) or who.startswith(kind) for kind in kinds if who):
            return _first((who, *names, *NAMES["relationship"], "other"), value, known)
    return _first((who, *NAMES["relationship"], "other"), value, known)


def _first(names: tuple[str, ...], value: str, known: Collection[str]) -> Keyed | None:
    key = next((name for name in names if name in known), None)
    return Keyed(key, value.strip()) if key and value.strip() else None
