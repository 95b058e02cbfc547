"""What a context is made of, read in one statement: the snapshot, the configuration and the recent messages.

How many messages are wanted is known only after the configuration was read. So the statement reads as many as most
companions want; those that want more need a second one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from config.postgresql.sessions import prepared_cursor
from context.configuration import Context
from memory.retrieval.questions import Participants
from relationships.text_names import name_in_text
from web.authentication import KEY_STILL_HOLDS, KeyChanged, RememberedKey
from web.errors import NotFound

MESSAGES_AT_FIRST: int = Context.model_fields["recent_messages"].default

# The session's messages, or those of all sessions if it has none; the second half runs only then. It leaves out tool
# messages, which nobody said: results of tools, reports of agents, and notes of models elsewhere.
_MESSAGES = """
(SELECT {columns} FROM relationships_message
  WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND session = %(session)s
    AND erased_at IS NULL AND hidden_at IS NULL
  ORDER BY seq DESC LIMIT %(limit)s)
UNION ALL
(SELECT {columns} FROM relationships_message
  WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND erased_at IS NULL AND hidden_at IS NULL
    AND role <> 'tool'
    AND NOT EXISTS (SELECT 1 FROM relationships_message
                     WHERE relationship_id = %(relationship)s AND session = %(session)s
                       AND erased_at IS NULL AND hidden_at IS NULL)
  ORDER BY seq DESC LIMIT %(limit)s)
"""

# One row of facts. Unlike the rows of messages it has no seq; they have nulls in its other columns.
_FACTS = """
SELECT NULL::bigint, u.display_name, u.external_id, c.name, r.timezone, p.config::text, NULL::float8,
       c.config::text, r.config::text, s.profile::text, (s.sessions -> %(session)s::text)::text,
       s.scratchpad::text, s.hot_context ->> 'content', s.fresh_until, coalesce(s.has_archive, s.id IS NOT NULL),
       s.summary::text,
       c.id, (SELECT max(created_at) FROM context_document
               WHERE companion_id = c.id AND chunk_count > 0) IS NOT NULL,
       {key_holds}, r.language,
       EXISTS (SELECT 1 FROM memory_mendingplan m
                WHERE m.relationship_id = %(relationship)s AND m.recorded_at > now() - interval '1 hour'
                  AND m.state = 'proposed' AND m.turn_id IS NOT NULL), r.message_count, r.created_at
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_project p ON p.id = r.project_id
  JOIN relationships_enduser u ON u.id = r.user_id
  LEFT JOIN relationships_snapshot s ON s.relationship_id = r.id
 WHERE r.id = %(relationship)s AND r.project_id = %(project)s
UNION ALL
"""

_COLUMNS = "seq, id::text, turn_id::text, session, role, content, date_part('epoch', occurred_at), speaker"
_ONLY_MESSAGES = _MESSAGES.format(columns=_COLUMNS)
_MORE_MESSAGES = _MESSAGES.format(columns=_COLUMNS + ", NULL" * 15)
_FACTS_AND_MESSAGES = _FACTS.format(key_holds="true") + _MORE_MESSAGES
_FACTS_BY_KEY = _FACTS.format(key_holds=KEY_STILL_HOLDS) + _MORE_MESSAGES

# Every turn updates this row; counting messages would take longer with each.
_COUNT_TURNS = """
SELECT turns FROM relationships_sessionstate
 WHERE relationship_id = %(relationship)s AND session = %(session)s
"""


class Levels(NamedTuple):
    """The stored levels of the configuration, as JSON text."""

    project: str
    companion: str
    relationship: str


class RecentMessage(NamedTuple):
    """A stored message with its original role, which may be system or tool. Lists of them are oldest first."""

    id: str
    turn_id: str
    session: str
    role: str
    content: str
    said_at: float  # seconds since 1970
    speaker: str = ""  # as it was sent; "" for the one whom the role means
    seq: int = 0  # its place in the conversation


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a relationship before a reply. `scratchpad`: lines of memory.entries.snapshots.

    `messages`: the last MESSAGES_AT_FIRST of the session, or of all sessions if it has none. `has_archive`: there may
    be archived entries (an older snapshot does not say). `summary`: the newest one from the snapshot, {} if none.
    """

    relationship_id: UUID
    project_id: UUID
    companion_id: UUID
    has_documents: bool
    session: str
    levels: Levels
    timezone: str
    user_name: str  # prepared for a prompt, like the next
    companion_name: str
    participants: Participants  # with the names unchanged, for searches
    profile: dict[str, Any]
    session_state: dict[str, Any]
    scratchpad: list[list[Any]]
    fresh_until: datetime | None
    has_archive: bool
    summary: dict[str, Any]
    messages: Sequence[RecentMessage]
    are_all: bool = False  # `messages` is all that was ever said, in any session
    hot_context: str = ""  # as the agent left it
    awaits_review: bool = False  # a request of the last hour to forget or correct something was unclear
    created_at: datetime | None = None  # of the relationship


def read_facts(
    *, project_id: UUID, relationship_id: UUID, session: str, key: RememberedKey | None = None
) -> Facts:
    """Read the facts in one statement, which also checks `key`, an API key that was only taken from the cache.

    Raises NotFound, KeyChanged.
    """
    statement, of_key = (_FACTS_AND_MESSAGES, {}) if key is None else (_FACTS_BY_KEY, key.asked())
    rows = _read(statement, project_id, relationship_id, session, MESSAGES_AT_FIRST, **of_key)
    row = next((row for row in rows if row[0] is None), None)
    if row is None:
        raise NotFound("This relationship does not exist.")
    display_name, external_id, companion_name, timezone = row[1:5]
    if not row[18]:
        raise KeyChanged("This key was changed.")
    (
        profile,
        session_state,
        scratchpad,
        hot_context,
        fresh_until,
        has_archive,
        summary,
        companion_id,
        has_documents,
    ) = row[9:18]
    messages = _messages_of(rows)
    return Facts(
        relationship_id=relationship_id,
        project_id=project_id,
        companion_id=companion_id,
        has_documents=has_documents,
        session=session,
        levels=Levels(row[5], *row[7:9]),
        timezone=timezone,
        user_name=name_in_text(display_name, external_id),
        companion_name=name_in_text(companion_name),
        participants=Participants(display_name, companion_name, language=row[19]),
        profile=orjson.loads(profile or "{}"),
        session_state=orjson.loads(session_state or "{}"),
        scratchpad=orjson.loads(scratchpad or "[]"),
        fresh_until=fresh_until,
        has_archive=has_archive,
        summary=orjson.loads(summary or "{}"),
        messages=messages,
        are_all=len(messages) == row[21],
        hot_context=hot_context or "",
        awaits_review=row[20],
        created_at=row[22],
    )


def recent_messages(facts: Facts, *, limit: int) -> Sequence[RecentMessage]:
    """The last `limit` messages of the session, or of all sessions if it has none.

    Runs a statement only if more are wanted than came with the facts, and there may be more.
    """
    if limit <= MESSAGES_AT_FIRST or len(facts.messages) < MESSAGES_AT_FIRST:
        return facts.messages[-limit:] if limit else []
    return _messages_of(_read(_ONLY_MESSAGES, facts.project_id, facts.relationship_id, facts.session, limit))


def count_turns(facts: Facts) -> int:
    """Count the session's turns. Runs a statement only if it may have more messages than came with the facts."""
    if len(facts.messages) < MESSAGES_AT_FIRST:
        return turns_in_sight(facts)
    with prepared_cursor() as cursor:
        cursor.execute(_COUNT_TURNS, {"relationship": facts.relationship_id, "session": facts.session})
        row = cursor.fetchone()
    return row[0] if row else 0


def turns_in_sight(facts: Facts) -> int:
    """Count the session's turns among the messages that came with the facts."""
    return len({message.turn_id for message in facts.messages if message.session == facts.session})


def _read(
    statement: str, project_id: UUID, relationship_id: UUID, session: str, limit: int, **more: Any
) -> list[Any]:
    values: dict[str, Any] = {"relationship": relationship_id, "project": project_id, "session": session}
    with prepared_cursor() as cursor:
        cursor.execute(statement, {**values, "limit": limit, **more})
        rows: list[Any] = cursor.fetchall()
    return rows


def _messages_of(rows: Sequence[Any]) -> list[RecentMessage]:
    found = sorted((row for row in rows if row[0] is not None), key=itemgetter(0))
    return [RecentMessage._make((*row[1:8], row[0])) for row in found]
