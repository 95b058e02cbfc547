"""Call 1 of two_call: the atomic facts of the messages. No entries are shown.

A fact with `forget` names what the person asks to have forgotten; it is never kept itself.
"""

from typing import Any

from memory.ingestion.strategies.schema_parts import NUMBERS, TEXT, answer_of, list_of, number

EXTRACT_SCHEMA: dict[str, Any] = answer_of(
    facts=list_of(
        {
            "content": TEXT,
            "type": TEXT,
            "confidence": number(0, 1),
            "importance": number(0, 1),
            "subject": TEXT,
            "forget": {"type": "boolean"},
            "happens_at": TEXT,
            "expires_at": TEXT,
            "messages": NUMBERS,
        },
        required=["content", "type", "confidence", "messages"],
    )
)
