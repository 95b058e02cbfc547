"""Go through all relationships, a page at a time, for periodic tasks that only some configurations ask for."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from config.postgresql.sessions import execute

PAGE = 10_000  # relationships passed in one round

_START = UUID(int=0)
# Companions first: their configuration and their project's apply to all of their relationships that have none of their
# own.
_COMPANIONS = """
SELECT c.id, p.config::text, c.config::text FROM relationships_companion c
  JOIN relationships_project p ON p.id = c.project_id
 WHERE %(section)s::text IS NULL OR p.config ? %(section)s OR c.config ? %(section)s
"""
_PAGE = """
WITH page AS (
    SELECT id, project_id, companion_id, timezone, last_turn_at, config FROM relationships_relationship
     WHERE id > %(after)s ORDER BY id LIMIT %(page)s
)
SELECT id, project_id, companion_id, timezone, last_turn_at IS NOT NULL, config::text FROM page
 WHERE companion_id = ANY(%(companions)s) OR config ?| %(sections)s
    OR id = (SELECT id FROM page ORDER BY id DESC LIMIT 1)
 ORDER BY id
"""

Levels = tuple[str, str]  # the project's and the companion's configuration, as JSON


class Passed(NamedTuple):
    """A relationship of a page; `config`: its own level, as JSON."""

    id: UUID
    project_id: UUID
    companion_id: UUID
    timezone: str
    has_spoken: bool
    config: str


def companion_levels(section: str | None = None) -> dict[UUID, Levels]:
    """The levels above each companion's relationships; of companions with this section alone, if one is named."""
    return {row[0]: (row[1], row[2]) for row in execute(_COMPANIONS, {"section": section})}


class RelationshipWalk:
    """Each call takes the next page; after the last, it starts again. `sections`: of a relationship's own level."""

    def __init__(self, *sections: str) -> None:
        self._sections = list(sections)
        self.after = _START

    def next_page(self, companions: Collection[UUID]) -> list[Passed]:
        """The relationships of these companions, those with one of the sections, and the page's last one. None: the
        walk has come to its end.
        """
        asked = {"companions": list(companions), "sections": self._sections}
        rows = execute(_PAGE, {"after": self.after, "page": PAGE, **asked})
        self.after = rows[-1][0] if rows else _START
        return [Passed(*row) for row in rows]
