"""Which key of a vocabulary a kept statement goes under, and its bare value: "Lives in Lisbon" is city, Lisbon.

A key's own wording ("Lives in {value}") is tried first, so that a companion's own keys are served too; then what
the statement is about, by the names that vocabularies give to that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memory.providers.base import KnownKey
from memory.providers.offline.confidence import CONSTRAINT
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import PARTNERS
from memory.providers.offline.rewriting import capitalised
from memory.providers.offline.stems import words

# Names of keys for each kind of statement (memory.providers.offline.slots), the narrowest first.
NAMES: dict[str, tuple[str, ...]] = {
    "city": ("city", "current_city", "location"),
    "home": ("home", "address"),
    "household": ("household", "lives_with"),
    "move": ("goal", "plan"),
    "name": ("name", "preferred_name"),
    "surname": ("surname", "last_name"),
    "age": ("age",),
    "birthday": ("birthday", "date_of_birth"),
    "birthyear": ("birth_year",),
    "birthplace": ("birthplace", "hometown"),
    "origin": ("hometown", "origin", "nationality"),
    "timezone": ("timezone",),
    "diet": ("diet", "dietary_restriction"),
    "health": ("allergy", "health"),
    "like": ("like", "interest", "preference"),
    "dislike": ("dislike", "preference"),
    "prefer": ("preference", "like"),
    "favourite": ("favourite", "preference", "like"),
    "speaks": ("language",),
    "partner": ("partner", "relationship_status"),
    "work": ("employment",),
    "goal": ("goal", "plan"),
    "event": ("event", "appointment"),
}
_RELATIONS: dict[str, frozenset[str]] = {
    "pet": words("dog cat pet puppy kitten rabbit hamster parrot horse turtle fish"),
    "child": words("son daughter child kid baby stepson stepdaughter"),
    "sibling": words("sister brother sibling twin"),
    "parent": words("mother father mum mom dad parent"),
    "friend": words("friend"),
}
_LEAD: dict[str, re.Pattern[str]] = {
    "like": pattern(
        r"^(?:now |really |also )*(?:likes?|loves?|enjoys?|adores?|is into|is a (?:big )?fan of) "
    ),
    "dislike": pattern(r"^(?:now |really )*(?:dislikes?|hates?|does not like|cannot stand|no longer \w+s) "),
    "health": pattern(r"^is (?:allergic|sensitive|intolerant) to "),
    "diet": pattern(r"^is (?:now |currently )?(?:an? )?"),
    "goal": pattern(
        r"^(?:wants?|plans?|hopes?|would like|has decided|aims?|is planning|is hoping|is going) to "
    ),
    "move": pattern(r"^(?:is|will be) (?:moving|going to move) to "),
    "partner": pattern(r"^(?:is|has an?) "),
    "person": pattern(r"^has (?:an? )?"),
    "prefer": pattern(r"^(?:now )?prefers? "),
    "speaks": pattern(r"^speaks "),
}
_PUT = {"move": "move to {}"}  # how a value reads after "Wants to"
_BEING = pattern(r"^(?:is|has the goal of) ")
_FAVOURITE = pattern(r"^favou?rite (.+?) (?:is|are) (.+)$")
_OVER = pattern(
    r"^(?P<happened>had |broke up|got divorced|passed away|.*\(goal reached\))|\bno longer\b|^(?:gave up|stopped) "
    r"|\(cancelled\)|^(?:has )?decided (?:not to|against)"
)
_STATE = pattern(r"^(?:is|runs|freelances|works)\b")
_SETTLED = pattern(r" \(goal reached\)")
_ROLE = pattern(r"^works (?:as|in) (?P<role>.+?)(?: (?:at|for) (?P<employer>.+))?$")
_ROLE_IS = pattern(r"^is (?:currently )?(?P<role>an? .+?)(?: (?:at|for) (?P<employer>.+))?$")
_EMPLOYER = pattern(r"^works (?:at|for) (?P<employer>.+)$")


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key and the value it gets."""

    key: KnownKey
    value: str


def keyed_values(line: Line, keys: Iterable[KnownKey]) -> list[Keyed]:
    """What a statement says, under keys: mostly one, none where the vocabulary has no place for it.

    What is no longer so is no value of anything.
    """
    known = {key.name: key for key in keys}
    text = _without_name(line)
    if line.slot.kind == "work":
        return list(_work(text, known))
    over = _OVER.search(text)
    if over and line.slot.kind not in ("attitude", "prefer"):
        found = _under(NAMES["event"], _SETTLED.sub("", text), known) if over["happened"] else None
    else:
        found = _named(line, text, known) or _worded(text, known)
    return [found] if found else []


def as_statement(content: str, key: str) -> str:
    """The entry of a key in the words that the rules read: "Pet: dog named Rex" as "Has a dog named Rex"."""
    if content.startswith("Allergic "):
        return f"Is {content[:1].lower()}{content[1:]}"
    label, _, value = content.partition(": ")
    if value and key in _RELATIONS:
        return f"Has a {value}"
    if value and key == "partner" and value.split()[0] in PARTNERS:
        return f"Has a {value}"
    if value and key in ("partner", "diet"):
        return f"Is {value}"
    return f"{label} is {value}" if value and key in ("birthday", "timezone") else content


def _worded(text: str, known: Mapping[str, KnownKey]) -> Keyed | None:
    """The key whose own wording the statement has."""
    for key in known.values():
        before, _, after = key.description.partition("{value}")
        if len(before) < 3 or key.name in ("occupation", "employer"):
            continue
        found = re.fullmatch(rf"{re.escape(before)}(?P<value>.+){re.escape(after)}", text, re.IGNORECASE)
        if found:
            return Keyed(key, found["value"])
    return None


def _named(line: Line, text: str, known: Mapping[str, KnownKey]) -> Keyed | None:
    kind = line.slot.value if line.slot.kind == "attitude" else line.slot.kind
    if kind in ("person", "people"):
        name = next((name for name, who in _RELATIONS.items() if line.slot.about & who), "")
        return _under((name,), _LEAD["person"].sub("", text), known)
    if line.slot.negated and kind != "other":
        return None
    if kind == "other" and line.importance == CONSTRAINT:
        return _under(("health",), _LEAD["person"].sub("", text), known)
    names = (line.key or "", *NAMES.get(kind, ()), *NAMES.get(line.type, ()))
    return _under(names, _value(line, kind, text), known)


def _value(line: Line, kind: str, text: str) -> str:
    """The bare value, in the statement's own letters; all of it where it is more than a value."""
    lead = _LEAD.get("goal" if line.type == "goal" and kind != "move" else kind)
    if lead is not None:
        bare = lead.sub("", text)
        if bare == text and line.type == "goal":
            return _BEING.sub("keep ", text)
        return _PUT.get(kind, "{}").format(bare)
    if kind in ("favourite", "event", "other"):
        return _FAVOURITE.sub(r"\2, their favourite \1", text)
    found = re.search(re.escape(line.slot.value), text, re.IGNORECASE) if line.slot.value else None
    return found[0] if found else text


def _work(text: str, known: Mapping[str, KnownKey]) -> Iterator[Keyed]:
    found = _EMPLOYER.match(text) or _ROLE.match(text) or _ROLE_IS.match(text)
    told = found.groupdict() if found else {}
    role = _under(("occupation", "job", "job_title", "profession"), told.get("role") or "", known)
    employer = _under(("employer", "company", "workplace"), told.get("employer") or "", known)
    yield from (keyed for keyed in (role, employer) if keyed)
    if not told and not _STATE.match(text):
        ended = _under(NAMES["event"], text, known)
        yield from [ended] if ended else []


def _under(names: tuple[str, ...], value: str, known: Mapping[str, KnownKey]) -> Keyed | None:
    key = next((known[name] for name in names if name in known), None)
    return Keyed(key, value.strip()) if key and value.strip() else None


def _without_name(line: Line) -> str:
    if line.subject == "user" or not line.content.startswith(f"{line.subject} "):
        return line.content
    return capitalised(line.content.removeprefix(f"{line.subject} "))
