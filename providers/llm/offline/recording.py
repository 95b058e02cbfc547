"""Records values under the keys of a vocabulary: the answer for the strategy `keyed_facts`.

A single-valued key has one value. If an old value still holds besides a new one, both are joined by `; `, and are read
as parts the next time.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from providers.llm.base import KnownKey, NumberedEntry, PromptData
from providers.llm.offline.notebook import Line
from providers.llm.offline.patterns import RULES, part, pattern
from providers.llm.offline.reading import read_prompt_data
from providers.llm.offline.wording import PARTNERS, PETS, capitalised

PARTED = "; "
# For each kind of statement: names of keys, most specific first, and the text before the value.
_KINDS = {kind: (names.split(), pattern(f"^(?:{lead})")) for kind, (names, lead) in RULES["keys"].items()}
_RELATIONS = {
    "pet": PETS,
    "child": frozenset("son daughter child kid baby stepson stepdaughter".split()),
    "sibling": frozenset("sister brother sibling twin".split()),
    "parent": frozenset("mother father mum mom dad parent parents".split()),
    "friend": frozenset(["friend"]),
}
_NOTE = re.compile(r" \((?:moved|as of|turned|since|got) .*\)$")
_OVER = part("OVER")
_WORK = pattern(r"^works(?: (?:as|in) (?P<role>.+?))?(?: (?:at|for) (?P<employer>.+))?$")
_STATE = pattern(r"^(?:is|runs|freelances|works)\b")
Keyed = tuple[KnownKey, str]  # a key and the value it gets


@dataclass(slots=True)
class _Record:
    """The values of one key for one subject. `restates`: the entry that a value of a multi-valued key repeats."""

    key: KnownKey
    subject: str
    values: list[str] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    confidence: float = 1.0
    restates: dict[str, int] = field(default_factory=dict)

    def as_memories(self) -> list[dict[str, Any]]:
        """One memory, or one per value if the key has several."""
        values = list(dict.fromkeys(self.values))
        about = {"confidence": self.confidence, "subject": self.subject, "messages": self.messages}
        told = [PARTED.join(values)] if self.key.single_valued else values
        return [
            {"type": self.key.type, "key": self.key.name, "value": value, **about, **self._entry_of(value)}
            for value in told
        ]

    def _entry_of(self, value: str) -> dict[str, int]:
        return {"entry": self.restates[value]} if value in self.restates else {}


def record_memories(prompt_data: PromptData) -> dict[str, Any]:
    """Record statements under their keys; leave out those without a key.

    A given entry is forgotten if its text changes to something that is not a new value of the same key.
    """
    keys = {key.name: key for key in prompt_data.keys}
    parts = [told for entry in prompt_data.entries for told in _parts(entry, keys)]
    notebook = read_prompt_data(replace(prompt_data, entries=tuple(part for part, _ in parts))).notebook
    values = {(part.number, part.content): value for part, value in parts}
    standing = [line for line in notebook.lines() if line.number is not None and not line.outcome]
    records: dict[tuple[str, str], _Record] = {}
    left: list[dict[str, Any]] = []

    def record(key: KnownKey, value: str, line: Line) -> None:
        stands = [
            values[one.number, one.before]
            for one in standing
            if (one.subject, one.key) == (line.subject, key.name) and one.number is not None
        ]
        kept = _Record(key, line.subject, stands if key.single_valued else [])
        kept = records.setdefault((line.subject, key.name), kept)
        kept.values += [value] if value else []
        if value and line.number is not None and line.key == key.name and not key.single_valued:
            kept.restates[value] = line.number
        kept.messages = sorted({*kept.messages, *line.messages})
        kept.confidence = min(kept.confidence, line.confidence)

    def leave(line: Line, reason: str) -> None:
        """Forget the entry, and record its remaining parts again."""
        if line.number not in [gone["entry"] for gone in left]:
            left.append({"entry": line.number, "reason": reason, "messages": line.messages})
        if line.key in keys and any(one.number == line.number for one in standing):
            record(keys[line.key], "", line)

    for line in notebook.changed_lines():
        if line.outcome == "delete":
            leave(line, line.reason)
            continue
        now = _keyed_values(line, keys)
        told = _keyed_values(Line(None, line.type, line.subject, line.before, line.key), keys)
        for key, value in now:
            if (key, value) not in told:
                record(key, value, line)
        said_anew = any(key.name == line.key for key, _ in now)
        if line.outcome == "update" and not said_anew and not any(keyed in told for keyed in now):
            leave(line, "is so no more")
    return {"memories": [one for kept in records.values() for one in kept.as_memories()], "forget": left}


def _parts(entry: NumberedEntry, keys: Mapping[str, KnownKey]) -> list[tuple[NumberedEntry, str]]:
    """The entry's parts, worded for the rules, with their values."""
    key = entry.key or ""
    before, found, value = entry.content.partition(f"{key}: ")
    if not key or before or not found:
        plain = replace(entry, content=_as_statement(entry.content, key))
        of_key = [value for known, value in _keyed_values(_line_of(plain), keys) if known.name == key]
        return [(plain, of_key[0] if of_key else entry.content)]
    says = keys[key].description if key in keys else ""
    worded = says if "{value}" in says else f"{key.replace('_', ' ').capitalize()}: {{value}}"
    return [
        (replace(entry, content=_as_statement(capitalised(worded.replace("{value}", part)), key)), part)
        for part in value.split(PARTED)
    ]


def _line_of(entry: NumberedEntry) -> Line:
    return Line(None, entry.type, entry.subject, entry.content, entry.key)


def _as_statement(content: str, key: str) -> str:
    """Word an entry for the rules: "Pet: dog named Rex" becomes "Has a dog named Rex"."""
    label, _, value = content.partition(": ")
    if not value:
        return f"Is {content[:1].lower()}{content[1:]}" if content.startswith("Allergic ") else content
    if key in _RELATIONS or (key == "partner" and value.split()[0] in PARTNERS):
        return f"Has a {value}"
    return f"Is {value}" if key in ("partner", "diet") else f"{label} is {value}"


def _keyed_values(line: Line, keys: Mapping[str, KnownKey]) -> list[Keyed]:
    """The keys and values of a statement: usually one, none if no key fits."""
    text = line.content
    if line.subject != "user":
        text = capitalised(text.removeprefix(f"{line.subject} "))
    if line.fact.kind == "work":
        found = _WORK.match(text)
        role, employer = (found["role"], found["employer"]) if found else ("", "")
        ended = "" if _STATE.match(text) else text
        return [
            *_under(("occupation", "job", "job_title", "profession"), role, keys),
            *_under(("employer", "company", "workplace"), employer, keys),
            *_under(("event", "appointment"), ended, keys),
        ]
    over = _OVER.search(text)
    if over and line.fact.kind not in ("attitude", "prefer"):  # what no longer holds is not a value
        happened = text.replace(" (goal reached)", "") if over["happened"] else ""
        return _under(("event", "appointment"), happened, keys)
    return _by_wording(line, text, keys) or _by_kind(line, text, keys)


def _by_wording(line: Line, text: str, keys: Mapping[str, KnownKey]) -> list[Keyed]:
    """The key whose description fits the wording of a statement of unknown kind."""
    for key in keys.values() if line.fact.kind == "other" and not line.constraint else ():
        before, _, after = key.description.partition("{value}")
        if len(before) >= 3 and text.startswith(before) and text.endswith(after):
            return [(key, text[len(before) : len(text) - len(after)])]
    return []


def _by_kind(line: Line, text: str, keys: Mapping[str, KnownKey]) -> list[Keyed]:
    kind = line.fact.value if line.fact.kind == "attitude" else line.fact.kind
    if kind in ("person", "people"):
        kind = next((name for name, who in _RELATIONS.items() if line.fact.about & who), "")
    elif kind == "other":
        kind = "condition" if line.constraint else line.type
    if kind not in _KINDS or line.fact.negated:
        return []
    names, lead = _KINDS[kind]
    bare = line.fact.value if kind == "age" else lead.sub("", _NOTE.sub("", text))
    if kind in ("goal", "move") and bare.partition(" ")[0].endswith("ing"):
        bare = f"be {bare}"
    return _under((line.key or "", *names), bare, keys)


def _under(names: Iterable[str], value: str | None, keys: Mapping[str, KnownKey]) -> list[Keyed]:
    key = next((keys[name] for name in names if name in keys), None)
    return [(key, value.strip())] if key and value and value.strip() else []
