"""The questions of importance and classifier: memories of the messages, scored or put into a category."""

from collections.abc import Callable
from typing import Any

from memory.providers.base import IngestionMaterial
from memory.providers.offline.confidence import confidence_of, score_of
from memory.providers.offline.notebook import Line
from memory.providers.offline.rules import read_into_notebook


def score_memories(material: IngestionMaterial) -> dict[str, Any]:
    """Each memory with its importance from 1 to 10."""
    return _memories(material, lambda line: {"score": score_of(line)})


def classify_memories(material: IngestionMaterial) -> dict[str, Any]:
    """Each memory with its category and how sure that is."""
    return _memories(material, lambda line: {"confidence": confidence_of(line)})


def forgotten(lines: list[Line]) -> list[dict[str, Any]]:
    """The entries that leave without a successor."""
    return [
        {"entry": line.number, "reason": line.reason, "messages": line.messages}
        for line in lines
        if line.outcome == "delete"
    ]


def _memories(material: IngestionMaterial, judged: Callable[[Line], dict[str, Any]]) -> dict[str, Any]:
    lines = read_into_notebook(material).notebook.changed_lines()
    kept = [_memory(line) | judged(line) for line in lines if line.outcome != "delete"]
    return {"memories": kept, "forget": forgotten(lines)}


def _memory(line: Line) -> dict[str, Any]:
    memory: dict[str, Any] = {
        "content": line.content,
        "type": line.type,
        "subject": line.subject,
        "messages": line.messages,
    }
    if line.number is not None:
        memory["entry"] = line.number
    if line.happens_at:
        memory["happens_at"] = line.happens_at
    return memory
