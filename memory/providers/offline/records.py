"""The question of keyed_facts: the arguments of a call that records values under keys."""

from typing import Any

from memory.providers.base import IngestionMaterial, KnownKey
from memory.providers.offline.confidence import confidence_of
from memory.providers.offline.keys import key_line
from memory.providers.offline.memories import forgotten
from memory.providers.offline.notebook import Line
from memory.providers.offline.rules import read_into_notebook


def record_memories(material: IngestionMaterial) -> dict[str, Any]:
    """What fits a key, under it. A statement that no key has a place for is left out."""
    keys = {key.name: key for key in material.keys}
    lines = read_into_notebook(material).notebook.changed_lines()
    recorded = [record for line in lines if line.outcome != "delete" for record in _records(line, keys)]
    return {"memories": recorded, "forget": forgotten(lines)}


def _records(line: Line, keys: dict[str, KnownKey]) -> list[dict[str, Any]]:
    keyed = key_line(line, keys)
    if keyed is None:
        return []
    return [
        {
            "type": keys[keyed.key].type,
            "key": keyed.key,
            "value": keyed.value,
            "confidence": confidence_of(line),
            "subject": line.subject,
            "messages": line.messages,
        }
    ]
