"""The arguments of `record_memories`, the tool that keyed_facts makes the model call.

A key outside the vocabulary is refused, so the schema names the keys there are.
"""

from collections.abc import Sequence
from typing import Any

from memory.ingestion.strategies.schema_parts import FORGET, NUMBERS, TEXT, answer_of, list_of, number

RECORD_TOOL = "record_memories"


def record_schema(keys: Sequence[str], types: Sequence[str]) -> dict[str, Any]:
    """The tool's parameters for this vocabulary."""
    return answer_of(
        memories=list_of(
            {
                "type": {"type": "string", "enum": list(types)},
                "key": {"type": "string", "enum": list(keys)},
                "value": {"type": "string", "description": "the value alone, such as Lisbon"},
                "confidence": number(0, 1),
                "subject": TEXT,
                "messages": NUMBERS,
            },
            required=["type", "key", "value", "confidence", "messages"],
        ),
        forget=FORGET,
    )
