"""The snapshot's one writer: each section is put in place by its owner, in the transaction of the change."""

from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import orjson
from django.db import connection
from psycopg import sql

from relationships.ids import uuid7

Section = Literal["profile", "sessions", "scratchpad"]


class Unset:
    """Stands for 'leave it as it is', where null has a meaning of its own."""


UNSET: Final = Unset()

_UPSERT = sql.SQL(
    """
    INSERT INTO relationships_snapshot
        (relationship_id, id, project_id, profile, sessions, scratchpad, fresh_until, updated_at)
    VALUES
        (%(relationship)s, %(id)s, %(project)s, %(profile)s, %(sessions)s, %(scratchpad)s, %(fresh)s, now())
    ON CONFLICT (relationship_id) DO UPDATE SET {section} = EXCLUDED.{section}, {freshness} updated_at = now()
    """
)
_EMPTY: dict[str, str] = {"profile": "{}", "sessions": "{}", "scratchpad": "[]"}


def write_section(
    *,
    relationship_id: UUID,
    project_id: UUID,
    section: Section,
    value: Any,
    fresh_until: datetime | Unset | None = UNSET,
) -> None:
    """Put `value` (what orjson can write) into a section, in one statement; other sections stay as they are.

    Call it inside the transaction of the change, under the relationship's row lock: the last writer wins.
    """
    statement = _UPSERT.format(
        section=sql.Identifier(section),
        freshness=sql.SQL("" if isinstance(fresh_until, Unset) else "fresh_until = EXCLUDED.fresh_until,"),
    )
    values = {
        "relationship": relationship_id,
        "id": uuid7(),
        "project": project_id,
        "fresh": None if isinstance(fresh_until, Unset) else fresh_until,
        **_EMPTY,
        section: orjson.dumps(value, option=orjson.OPT_UTC_Z).decode(),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
