"""The one call of classifier: what of the messages falls into a category (`type`), and how sure that is.

`entry`: the memory says this shown entry anew, so it is updated; without it the memory is added.
"""

from typing import Any

from memory.ingestion.strategies.schema_parts import FORGET, NUMBERS, TEXT, answer_of, list_of, number

CLASSIFY_SCHEMA: dict[str, Any] = answer_of(
    memories=list_of(
        {
            "content": TEXT,
            "type": TEXT,
            "confidence": number(0, 1),
            "subject": TEXT,
            "entry": {"type": "integer", "description": "number of the shown entry it replaces"},
            "happens_at": TEXT,
            "messages": NUMBERS,
        },
        required=["content", "type", "confidence", "messages"],
    ),
    forget=FORGET,
)
