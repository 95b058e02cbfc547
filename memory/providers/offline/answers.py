"""Every question that an ingestion strategy asks, and who answers it."""

from collections.abc import Callable
from typing import Any

from memory.providers.base import IngestionMaterial, Task
from memory.providers.offline.facts import decide_facts, extract_facts
from memory.providers.offline.memories import classify_memories, score_memories
from memory.providers.offline.records import record_memories
from memory.providers.offline.rules import read_messages

Answer = Callable[[IngestionMaterial], dict[str, Any]]


def operations(material: IngestionMaterial) -> dict[str, Any]:
    """The operations on the entries shown."""
    return {"operations": read_messages(material)}


ANSWERS: dict[Task, Answer] = {
    "operations": operations,
    "extract": extract_facts,
    "decide": decide_facts,
    "score": score_memories,
    "classify": classify_memories,
    "record": record_memories,
}
