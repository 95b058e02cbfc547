"""The question of keyed_facts: values under the keys of a vocabulary. "Lives in Lisbon" is city, Lisbon.

A key's own wording ("Lives in {value}") is tried first, so that a companion's own keys are served too; then what the
statement is about, by the names that vocabularies give to that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from providers.llm.base import IngestionMaterial, KnownKey
from providers.llm.offline.notebook import Line
from providers.llm.offline.patterns import RULES, part, pattern
from providers.llm.offline.people import PARTNERS, PETS
from providers.llm.offline.reading import read_material
from providers.llm.offline.wording import capitalised

# Names of keys for each kind of statement, the narrowest first, and what leads up to the bare value.
_KINDS = {kind: (names.split(), pattern(f"^(?:{lead})")) for kind, (names, lead) in RULES["keys"].items()}
_RELATIONS = {
    "pet": PETS,
    "child": frozenset("son daughter child kid baby stepson stepdaughter".split()),
    "sibling": frozenset("sister brother sibling twin".split()),
    "parent": frozenset("mother father mum mom dad parent parents".split()),
    "friend": frozenset(["friend"]),
}
_FAVOURITE = pattern(r"^favou?rite (.+?) (?:is|are) (.+)$")
_NOTE = re.compile(r" \((?:moved|as of|turned|since|got) .*\)$")
_OVER = part("OVER")
_WORK = pattern(r"^works(?: (?:as|in) (?P<role>.+?))?(?: (?:at|for) (?P<employer>.+))?$")
_STATE = pattern(r"^(?:is|runs|freelances|works)\b")


@dataclass(frozen=True, slots=True)
class Keyed:
    """A key and the value it gets."""

    key: KnownKey
    value: str


def record_memories(material: IngestionMaterial) -> dict[str, Any]:
    """What fits a key, under it. A statement that no key has a place for is left out.

    A shown entry leaves where its words are changed into what is no new value of the same single-valued key.
    """
    plain = tuple(
        replace(entry, content=_as_statement(entry.content, entry.key or "")) for entry in material.entries
    )
    lines = read_material(replace(material, entries=plain)).notebook.changed_lines()
    keys = {key.name: key for key in material.keys}
    recorded, left = [], [line.as_forgotten() for line in lines if line.outcome == "delete"]
    for line in lines:
        if line.outcome == "delete":
            continue
        values = _keyed_values(line, keys)
        told = (
            _keyed_values(Line(None, line.type, line.subject, line.before, line.key), keys)
            if line.before
            else []
        )
        for keyed in values:
            if keyed not in told:
                about = {"confidence": line.confidence, "subject": line.subject, "messages": line.messages}
                recorded.append(
                    {"type": keyed.key.type, "key": keyed.key.name, "value": keyed.value, **about}
                )
        superseded = any(keyed.key.name == line.key and keyed.key.single_valued for keyed in values)
        if line.outcome == "update" and not superseded and not any(keyed in told for keyed in values):
            left.append({"entry": line.number, "reason": "is so no more", "messages": line.messages})
    return {"memories": recorded, "forget": left}


def _as_statement(content: str, key: str) -> str:
    """The entry of a key in the words that the rules read: "Pet: dog named Rex" as "Has a dog named Rex"."""
    if content.startswith("Allergic "):
        return f"Is {content[:1].lower()}{content[1:]}"
    label, _, value = content.partition(": ")
    if value and (key in _RELATIONS or (key == "partner" and value.split()[0] in PARTNERS)):
        return f"Has a {value}"
    if value and key in ("partner", "diet"):
        return f"Is {value}"
    return f"{label} is {value}" if value and key in ("birthday", "timezone") else content


def _keyed_values(line: Line, keys: Mapping[str, KnownKey]) -> list[Keyed]:
    """What a statement says, under keys: mostly one, none where the vocabulary has no place for it."""
    text = line.content
    if line.subject != "user" and text.startswith(f"{line.subject} "):
        text = capitalised(text.removeprefix(f"{line.subject} "))
    if line.fact.kind == "work":
        return list(_of_work(text, keys))
    over = _OVER.search(text)
    if over and line.fact.kind not in ("attitude", "prefer"):  # what is no longer so is no value of anything
        found = (
            _under(("event", "appointment"), text.replace(" (goal reached)", ""), keys)
            if over["happened"]
            else None
        )
    else:
        found = _worded(text, keys) if line.fact.kind == "other" and not line.constraint else None
        found = found or _named(line, text, keys) or _worded(text, keys)
    return [found] if found else []


def _worded(text: str, keys: Mapping[str, KnownKey]) -> Keyed | None:
    """The key whose own wording the statement has."""
    for key in keys.values():
        before, _, after = key.description.partition("{value}")
        if len(before) >= 3 and key.name not in ("occupation", "employer"):
            found = re.fullmatch(rf"{re.escape(before)}(?P<value>.+){re.escape(after)}", text, re.IGNORECASE)
            if found:
                return Keyed(key, found["value"])
    return None


def _named(line: Line, text: str, keys: Mapping[str, KnownKey]) -> Keyed | None:
    kind = line.fact.value if line.fact.kind == "attitude" else line.fact.kind
    if kind in ("person", "people"):
        kind = next((name for name, who in _RELATIONS.items() if line.fact.about & who), "")
    elif kind == "other" and line.constraint:
        return _under(("health",), re.sub(r"^Has (?:an? )?", "", text), keys)
    elif kind == "other" or kind not in _KINDS:
        kind = line.type
    if kind not in _KINDS or line.fact.negated:
        return None
    names, lead = _KINDS[kind]
    bare = lead.sub("", _NOTE.sub("", text))
    if kind == "move":
        bare = f"move to {bare}"
    elif kind == "goal" and bare == text:
        bare = re.sub(r"^(?:Is|Has the goal of) ", "keep ", text)
    elif kind == "favourite":
        bare = _FAVOURITE.sub(r"\2, their favourite \1", text)
    elif kind == "age":
        bare = line.fact.value
    return _under((line.key or "", *names), bare, keys)


def _of_work(text: str, keys: Mapping[str, KnownKey]) -> Iterator[Keyed]:
    found = _WORK.match(text)
    told = found.groupdict() if found else {}
    role = _under(("occupation", "job", "job_title", "profession"), told.get("role") or "", keys)
    employer = _under(("employer", "company", "workplace"), told.get("employer") or "", keys)
    yield from (keyed for keyed in (role, employer) if keyed)
    if not _STATE.match(text) and (ended := _under(("event", "appointment"), text, keys)):
        yield ended


def _under(names: Iterable[str], value: str, keys: Mapping[str, KnownKey]) -> Keyed | None:
    key = next((keys[name] for name in names if name in keys), None)
    return Keyed(key, value.strip()) if key and value.strip() else None
