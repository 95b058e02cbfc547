"""Call 2 of two_call: what each fact does to the entries shown. Facts and entries are numbers.

ADD     a new entry; `content` is its text (default: the fact's)
UPDATE  `entry` says it more fully or has changed; `content` is its whole merged text (default: the fact's)
DELETE  `entry` is contradicted: it leaves, and `content` (default: the fact's) is added in its place. Where `content`
        is "", or the fact is a wish to forget, nothing takes its place. A fact that ends several entries has a
        decision for each; only the first may be anything else
NONE    an entry says it already
"""

from typing import Any

from memory.ingestion.strategies.schema_parts import TEXT, answer_of, list_of

DECIDE_SCHEMA: dict[str, Any] = answer_of(
    decisions=list_of(
        {
            "fact": {"type": "integer"},
            "op": {"type": "string", "enum": ["ADD", "UPDATE", "DELETE", "NONE"]},
            "entry": {"type": "integer", "description": "number of the shown entry; not for ADD"},
            "content": TEXT,
            "reason": TEXT,
        },
        required=["fact", "op"],
    )
)
