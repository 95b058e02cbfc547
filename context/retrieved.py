"""The text of what a search found: one statement for the entries, one for the messages. Who asks by ID gets no more
than may be shown at that time, whatever the index still knows.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from config.postgresql.sessions import prepared_cursor
from memory.entries.snapshots import Line, SectionRow, line_of

_ENTRIES = f"""
SELECT {", ".join(SectionRow._fields)}, source_message_ids FROM memory_scratchpadentry
 WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND id = ANY(%(ids)s) AND state = 'active'
   AND (valid_from IS NULL OR valid_from <= %(now)s) AND (valid_to IS NULL OR valid_to > %(now)s)
   AND (expires_at IS NULL OR expires_at > %(now)s)
"""  # noqa: S608 - our own column names
_MESSAGES = """
SELECT id, seq, role, speaker, content, occurred_at FROM relationships_message
 WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND id = ANY(%(ids)s)
   AND erased_at IS NULL
"""


class FoundEntry(NamedTuple):
    """`line` as in the snapshot; `cites`: the messages it rests on."""

    line: Line
    cites: Sequence[UUID]


class FoundMessage(NamedTuple):
    """One utterance; `seq` is its place in the conversation."""

    id: UUID
    seq: int
    role: str
    speaker: str
    content: str
    occurred_at: datetime


def read_entries(
    *, project_id: UUID, relationship_id: UUID, ids: Sequence[UUID], now: datetime
) -> dict[UUID, FoundEntry]:
    """Those of the entries that are active and hold at `now`. One statement, or none for none."""
    if not ids:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(
            _ENTRIES, {"relationship": relationship_id, "project": project_id, "ids": list(ids), "now": now}
        )
        rows = cursor.fetchall()
    return {row[0]: FoundEntry(line_of(SectionRow._make(row[:-1])), row[-1]) for row in rows}


def read_messages(
    *, project_id: UUID, relationship_id: UUID, ids: Sequence[UUID]
) -> dict[UUID, FoundMessage]:
    """Those of the messages that are not erased. One statement, or none for none."""
    if not ids:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(_MESSAGES, {"relationship": relationship_id, "project": project_id, "ids": list(ids)})
        return {row[0]: FoundMessage._make(row) for row in cursor.fetchall()}
