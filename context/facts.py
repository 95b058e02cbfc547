"""The two statements of a context: what stands ready in the snapshot, and the recent messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from relationships.errors import NotFound
from relationships.prepared import prepared_cursor
from relationships.text_names import name_in_text

# By relationship and project: another project's relationship is not there.
_FACTS = """
SELECT p.config, c.config, r.config, r.timezone, u.display_name, u.external_id, c.name,
       s.profile, s.sessions -> %(session)s::text, s.scratchpad, s.fresh_until
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_project p ON p.id = r.project_id
  JOIN relationships_enduser u ON u.id = r.user_id
  LEFT JOIN relationships_snapshot s ON s.relationship_id = r.id
 WHERE r.id = %(relationship)s AND r.project_id = %(project)s
"""

# The session's own, or all sessions' where it has none; the second half is not run unless it is needed.
_MESSAGES = """
(SELECT id::text, session, role, content, seq FROM relationships_message
  WHERE relationship_id = %(relationship)s AND session = %(session)s AND erased_at IS NULL
  ORDER BY seq DESC LIMIT %(limit)s)
UNION ALL
(SELECT id::text, session, role, content, seq FROM relationships_message
  WHERE relationship_id = %(relationship)s AND erased_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM relationships_message
                     WHERE relationship_id = %(relationship)s AND session = %(session)s AND erased_at IS NULL)
  ORDER BY seq DESC LIMIT %(limit)s)
ORDER BY seq
"""


class Levels(NamedTuple):
    """The stored levels of the configuration, as JSON text."""

    project: str
    companion: str
    relationship: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a relationship before a reply. `scratchpad`: lines of memory.services.snapshots."""

    relationship_id: UUID
    levels: Levels
    timezone: str
    user_name: str
    companion_name: str
    profile: dict[str, Any]
    session_state: dict[str, Any]
    scratchpad: list[list[Any]]
    fresh_until: datetime | None


class RecentMessage(NamedTuple):
    """A stored message, oldest first in any list of them. `role` as it was said: system and tool too."""

    id: str
    session: str
    role: str
    content: str


def read_facts(*, project_id: UUID, relationship_id: UUID, session: str) -> Facts:
    """One statement, whatever the number of entries. Raises NotFound."""
    values: dict[str, Any] = {"project": project_id, "relationship": relationship_id, "session": session}
    with prepared_cursor() as cursor:
        cursor.execute(_FACTS, values)
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship is not there.")
    project, companion, own, timezone, display_name, external_id, companion_name = row[:7]
    profile, session_state, scratchpad, fresh_until = row[7:]
    return Facts(
        relationship_id=relationship_id,
        levels=Levels(project, companion, own),
        timezone=timezone,
        user_name=name_in_text(display_name, external_id),
        companion_name=name_in_text(companion_name),
        profile=orjson.loads(profile or "{}"),
        session_state=orjson.loads(session_state or "{}"),
        scratchpad=orjson.loads(scratchpad or "[]"),
        fresh_until=fresh_until,
    )


def read_recent_messages(*, relationship_id: UUID, session: str, limit: int) -> Sequence[RecentMessage]:
    """The last `limit` messages of the session, or of all sessions where it has none. One statement."""
    if limit == 0:
        return []
    with prepared_cursor() as cursor:
        cursor.execute(_MESSAGES, {"relationship": relationship_id, "session": session, "limit": limit})
        return [RecentMessage(*row[:4]) for row in cursor.fetchall()]
