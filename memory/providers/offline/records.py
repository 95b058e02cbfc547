"""The question of keyed_facts: the arguments of a call that records values under keys."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.providers.base import IngestionMaterial, KnownKey
from memory.providers.offline.confidence import confidence_of
from memory.providers.offline.keys import Keyed, as_statement, keyed_values
from memory.providers.offline.memories import forgotten
from memory.providers.offline.notebook import Line
from memory.providers.offline.rules import read_into_notebook


def record_memories(material: IngestionMaterial) -> dict[str, Any]:
    """What fits a key, under it. A statement that no key has a place for is left out.

    A shown entry leaves where its words are changed into what is no new value of the same single-valued key.
    """
    plain = tuple(
        replace(entry, content=as_statement(entry.content, entry.key or "")) for entry in material.entries
    )
    lines = read_into_notebook(replace(material, entries=plain)).notebook.changed_lines()
    recorded, left = [], forgotten(lines)
    for line in lines:
        if line.outcome == "delete":
            continue
        values = keyed_values(line, material.keys)
        told = _told_before(line, material.keys)
        recorded += [_record(line, keyed) for keyed in values if keyed not in told]
        still_so = any(keyed in told for keyed in values)
        if line.outcome == "update" and not still_so and not _supersedes(line, values):
            left.append({"entry": line.number, "reason": "is so no more", "messages": line.messages})
    return {"memories": recorded, "forget": left}


def _told_before(line: Line, keys: Sequence[KnownKey]) -> list[Keyed]:
    """The values of the entry as it was: "a nurse", where it says now that they are a nurse at the hospital."""
    if line.number is None:
        return []
    return keyed_values(Line(None, line.type, line.subject, line.before, line.key), keys)


def _supersedes(line: Line, values: list[Keyed]) -> bool:
    return any(keyed.key.name == line.key and keyed.key.single_valued for keyed in values)


def _record(line: Line, keyed: Keyed) -> dict[str, Any]:
    return {
        "type": keyed.key.type,
        "key": keyed.key.name,
        "value": keyed.value,
        "confidence": confidence_of(line),
        "subject": line.subject,
        "messages": line.messages,
    }
