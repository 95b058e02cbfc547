"""Records values under the keys of a vocabulary: the answer for the strategy `keyed_facts`.

A single-valued key has one value. If an old value still holds besides a new one, both are joined by `; `, and are read
as parts the next time.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from providers.llm.base import KnownKey, NumberedEntry, PromptData
from providers.llm.offline.lines import Line
from providers.llm.offline.reading import read_prompt_data
from providers.llm.offline.wording import PARTNERS, RELATIVES, RULES, capitalised, part, pattern

PARTED = "; "
# For each kind of statement: names of keys, most specific first, and the text before the value.
_KINDS = {kind: (names.split(), pattern(f"^(?:{lead})")) for kind, (names, lead) in RULES["keys"].items()}
_NOTE = re.compile(r" \((?:moved|as of|turned|since|got) .*\)$")
_WORK = pattern(r"^works(?: (?:as|in) (?P<role>.+?))?(?: (?:at|for) (?P<employer>.+))?$")
_STATE = pattern(r"^(?:is|runs|freelances|works)\b")
Keyed = tuple[KnownKey, str]  # a key and the value it gets


def record_memories(prompt_data: PromptData) -> dict[str, Any]:
    """Record statements under their keys; leave out those without a key.

    A given entry is forgotten if its text changes to something that is not a new value of the same key; what still
    holds of its value is recorded again.
    """
    keys = {key.name: key for key in prompt_data.keys}
    parts = [told for entry in prompt_data.entries for told in _parts(entry, keys)]
    reader = read_prompt_data(replace(prompt_data, entries=tuple(piece for piece, _ in parts)))
    values: dict[tuple[int | None, str], str] = {
        (piece.number, piece.content): value for piece, value in parts
    }
    standing = [line for line in reader.lines() if line.number is not None and not line.outcome]
    told: dict[tuple[str, str], list[tuple[str, Line]]] = {}
    left: dict[int, Line] = {}
    for line in reader.changed_lines():
        before = _keyed_values(replace(line, content=line.before, read=None), keys)
        now = [] if line.outcome == "delete" else _keyed_values(line, keys)
        for key, value in now:
            if (key, value) not in before:
                told.setdefault((line.subject, key.name), []).append((value, line))
        holds = any(key.name == line.key or (key, value) in before for key, value in now)
        if line.number is not None and not holds:
            left.setdefault(line.number, line)
            if line.key in keys and any(one.number == line.number for one in standing):
                told.setdefault((line.subject, line.key), []).append(("", line))
    memories = []
    for (subject, name), said in told.items():
        still = [
            values[one.number, one.before] for one in standing if (one.subject, one.key) == (subject, name)
        ]
        memories += _memories(keys[name], subject, said, still)
    return {
        "memories": memories,
        "forget": [
            {**line.as_forgotten(), "reason": line.reason or "is so no more"} for line in left.values()
        ],
    }


def _memories(
    key: KnownKey, subject: str, said: list[tuple[str, Line]], still: list[str]
) -> list[dict[str, Any]]:
    """One memory, with what still holds; or one per value if the key has several."""
    lines = {value: line for value, line in said if value}
    about = {
        "type": key.type,
        "key": key.name,
        "subject": subject,
        "confidence": min(line.confidence for _, line in said),
        "messages": sorted({message for _, line in said for message in line.messages}),
    }
    if key.single_valued:
        return [{**about, "value": PARTED.join(dict.fromkeys([*still, *lines]))}]
    return [
        {**about, "value": value, **({"entry": line.number} if line.number and line.key == key.name else {})}
        for value, line in lines.items()
    ]


def _parts(entry: NumberedEntry, keys: Mapping[str, KnownKey]) -> list[tuple[NumberedEntry, str]]:
    """The entry's parts, worded for the rules, with their values."""
    key = entry.key or ""
    before, found, value = entry.content.partition(f"{key}: ")
    if not key or before or not found:
        plain = replace(entry, content=_as_statement(entry.content, key))
        line = Line(None, plain.type, plain.subject, plain.content, plain.key)
        of_key = (value for known, value in _keyed_values(line, keys) if known.name == key)
        return [(plain, next(of_key, entry.content))]
    says = keys[key].description if key in keys else ""
    worded = says if "{value}" in says else f"{key.replace('_', ' ').capitalize()}: {{value}}"
    return [
        (replace(entry, content=_as_statement(capitalised(worded.replace("{value}", piece)), key)), piece)
        for piece in value.split(PARTED)
    ]


def _as_statement(content: str, key: str) -> str:
    """Word an entry for the rules: "Pet: dog named Rex" becomes "Has a dog named Rex"."""
    label, _, value = content.partition(": ")
    if not value:
        return f"Is {content[:1].lower()}{content[1:]}" if content.startswith("Allergic ") else content
    if key in RELATIVES or (key == "partner" and value.split()[0] in PARTNERS):
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
    over = part("OVER").search(text)
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
        kind = next((name for name, who in RELATIVES.items() if line.fact.about & who), "")
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
