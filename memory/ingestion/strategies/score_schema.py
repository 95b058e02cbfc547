"""The one call of importance: memories of the messages, each scored from 1 to 10.

`entry`: the memory says this shown entry anew, so it is updated; without it the memory is added.
"""

from typing import Any

from memory.ingestion.strategies.schema_parts import FORGET, NUMBERS, TEXT, answer_of, list_of, number

SCORE_SCHEMA: dict[str, Any] = answer_of(
    memories=list_of(
        {
            "content": TEXT,
            "score": number(1, 10),
            "type": TEXT,
            "subject": TEXT,
            "entry": {"type": "integer", "description": "number of the shown entry it replaces"},
            "happens_at": TEXT,
            "messages": NUMBERS,
        },
        required=["content", "score", "messages"],
    ),
    forget=FORGET,
)
