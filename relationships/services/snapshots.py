"""The snapshot's one writer: each section is put in place by its owner, in the transaction of the change."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import orjson
from django.db import connection
from psycopg import sql

from config.postgresql.sessions import prepared_cursor
from relationships.ids import uuid7

Section = Literal["profile", "sessions", "scratchpad", "hot_context", "summary"]


class Unset:
    """Stands for 'leave it as it is', where null has a meaning of its own."""


UNSET: Final = Unset()

_UPSERT = sql.SQL(
    """
    INSERT INTO relationships_snapshot
        (relationship_id, id, project_id, profile, sessions, scratchpad, hot_context, fresh_until, has_archive, summary,
         updated_at)
    {values}
    ON CONFLICT (relationship_id) DO UPDATE SET {sections}, updated_at = EXCLUDED.updated_at
    """
)
_GIVEN = sql.SQL(
    """
    VALUES
        (%(relationship)s, %(id)s, %(project)s, %(profile)s, %(sessions)s, %(scratchpad)s, %(hot_context)s,
         %(fresh_until)s, %(has_archive)s, %(summary)s, now())
    """
)
_EMPTY: dict[str, Any] = {
    "profile": "{}",
    "sessions": "{}",
    "scratchpad": "[]",
    "hot_context": None,
    "fresh_until": None,
    "has_archive": False,  # a row is made with the first entry, or before it
    "summary": "{}",
}


def write_scratchpad(
    made: str, params: Mapping[str, Any], *, relationship_id: UUID, project_id: UUID
) -> None:
    """Put in place what the query `made` tells, one row of `scratchpad`, `fresh_until` and `has_archive`.

    One statement: no line leaves the database. Call it as write_section.
    """
    values = """
    SELECT r.id, %(id)s, %(project)s, '{}'::jsonb, '{}'::jsonb, made.scratchpad, NULL::jsonb,
           made.fresh_until, made.has_archive, '{}'::jsonb, now()
      FROM relationships_relationship r, ("""
    statement = _UPSERT.format(
        values=sql.SQL(values + made + ") made WHERE r.id = %(relationship)s"),
        sections=_assignments(["scratchpad", "fresh_until", "has_archive"]),
    )
    own = {"relationship": relationship_id, "id": uuid7(), "project": project_id}
    with prepared_cursor() as cursor:
        cursor.execute(statement, {**params, **own})


def write_section(
    *,
    relationship_id: UUID,
    project_id: UUID,
    section: Section,
    value: Any,
    fresh_until: datetime | Unset | None = UNSET,
    has_archive: bool | Unset = UNSET,
) -> None:
    """Put `value` (what orjson can write) into a section, in one statement; all that is not given stays as it is.

    Call it inside the transaction of the change, under the relationship's row lock: the last writer wins.
    """
    beside = {"fresh_until": fresh_until, "has_archive": has_archive}
    given = {name: value for name, value in beside.items() if not isinstance(value, Unset)}
    values = {
        "relationship": relationship_id,
        "id": uuid7(),
        "project": project_id,
        **_EMPTY,
        **given,
        section: orjson.dumps(value, option=orjson.OPT_UTC_Z).decode(),
    }
    with connection.cursor() as cursor:
        cursor.execute(_UPSERT.format(values=_GIVEN, sections=_assignments([section, *given])), values)


def _assignments(columns: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(
        sql.SQL("{column} = EXCLUDED.{column}").format(column=sql.Identifier(column)) for column in columns
    )
