"""The JSON Schema of an answer, for providers that can hold a model to one.

Deliberately flat, in the subset all vendors know. Each operation is judged by itself afterwards
(memory.ingestion.operations): a model that is not held to the schema is understood just as well.
"""

from typing import Any

ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "op": {"type": "string", "enum": ["add", "update", "delete"]},
                    "entry": {
                        "type": "integer",
                        "description": "number of the shown entry to update or delete",
                    },
                    "type": {"type": "string"},
                    "content": {"type": "string"},
                    "subject": {"type": "string"},
                    "key": {"type": "string"},
                    "importance": {"type": "number"},
                    "happens_at": {"type": "string"},
                    "expires_at": {"type": "string"},
                    "reason": {"type": "string"},
                    "messages": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["op", "messages"],
            },
        }
    },
    "required": ["operations"],
}
