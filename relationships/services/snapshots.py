"""The only writer of snapshots. Each section's owner calls it in the transaction of the change."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal
from uuid import UUID

import orjson
from psycopg import sql

from config.postgresql.sessions import execute, prepared_cursor
from relationships.ids import uuid7

Section = Literal["profile", "sessions", "hot_context", "summary"]  # beside the scratchpad

_UPSERT = sql.SQL(
    """
    INSERT INTO relationships_snapshot
        (relationship_id, id, project_id, profile, sessions, scratchpad, hot_context, fresh_until, has_archive, summary,
         updated_at)
    {values}
    ON CONFLICT (relationship_id) DO UPDATE SET {sections}, updated_at = EXCLUDED.updated_at
    """
)
# A row inserted here is older than the first entry, so nothing is in the archive.
_GIVEN = sql.SQL(
    """
    VALUES
        (%(relationship)s, %(id)s, %(project)s, %(profile)s, %(sessions)s, '[]', %(hot_context)s, NULL, false,
         %(summary)s, now())
    """
)
_EMPTY: dict[str, str | None] = {"profile": "{}", "sessions": "{}", "hot_context": None, "summary": "{}"}


def write_scratchpad(
    made: str, params: Mapping[str, Any], *, relationship_id: UUID, project_id: UUID
) -> None:
    """Write the result of the query `made`, one row with `scratchpad`, `fresh_until` and `has_archive`.

    One statement: no entry leaves the database. Call it as write_section.
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


def write_section(*, relationship_id: UUID, project_id: UUID, section: Section, value: Any) -> None:
    """Write `value` (anything orjson can serialise) to a section, in one statement. The others stay unchanged.

    Call it in the transaction of the change, under the relationship's row lock: the last writer wins.
    """
    values: dict[str, Any] = {
        "relationship": relationship_id,
        "id": uuid7(),
        "project": project_id,
        **_EMPTY,
        section: orjson.dumps(value, option=orjson.OPT_UTC_Z).decode(),
    }
    execute(_UPSERT.format(values=_GIVEN, sections=_assignments([section])), values)


def _assignments(columns: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(
        sql.SQL("{column} = EXCLUDED.{column}").format(column=sql.Identifier(column)) for column in columns
    )
