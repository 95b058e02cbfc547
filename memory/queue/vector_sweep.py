"""Finds texts that owe vectors and that nobody is told to embed: nudges get lost, retries and leases fall due."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memory.queue.fairness import RoundRobin

# A text just written was nudged by its change; give that a moment. A retry was nudged by nobody.
GRACE = timedelta(seconds=2)
# Between two nudges of one relationship that does not move; doubles.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(seconds=60)
ROWS_PER_PROJECT = 500
NUDGES_PER_SWEEP = 20

# Of each project, the longest due of each relationship, of the longest due of all. Served by the index
# searchtext_owed_in_project.
_DUE = """
SELECT p.id, due.relationship_id, due.since
  FROM unnest(%(projects)s::uuid[]) AS p (id), LATERAL (
       SELECT relationship_id, min(embed_due_at) AS since FROM (
           SELECT relationship_id, embed_due_at FROM memory_searchtext
            WHERE project_id = p.id AND embed_due_at <= %(now)s
              AND (embed_attempts > 0 OR embed_due_at <= %(graced)s)
            ORDER BY embed_due_at LIMIT %(limit)s) longest
        GROUP BY relationship_id) due
 ORDER BY due.since
"""


@dataclass(frozen=True, slots=True)
class _Reminder:
    """Since when the relationship's longest due text is due, when it was nudged, and how long until it may be again."""

    since: datetime
    at: datetime
    pause: timedelta


class VectorSweep:
    """Remembers, between its rounds, whom it nudged."""

    def __init__(self) -> None:
        self._reminders: dict[UUID, _Reminder] = {}
        self._round_robin = RoundRobin()

    def due(self, room: Mapping[UUID, int], now: datetime) -> dict[UUID, UUID]:
        """Whom to nudge, each with its project, which has room for it: one not seen before at once, one that was
        nudged already after its pause.
        """
        rows = _due([project for project, free in room.items() if free > 0], now)
        self._forget_others({relationship_id for _, relationship_id, _ in rows})
        owed: dict[UUID, list[tuple[UUID, datetime]]] = {}
        for project_id, relationship_id, since in rows:
            mine = owed.setdefault(project_id, [])
            if len(mine) < room[project_id] and not self._rests(relationship_id, since, now):
                mine.append((relationship_id, since))
        chosen = self._round_robin.choose(owed, most=NUDGES_PER_SWEEP)
        for _, (relationship_id, since) in chosen:
            self._note(relationship_id, since, now)
        return {relationship_id: project_id for project_id, (relationship_id, _) in chosen}

    def _rests(self, relationship_id: UUID, since: datetime, now: datetime) -> bool:
        last = self._reminders.get(relationship_id)
        return last is not None and last.since == since and now - last.at < last.pause

    def _note(self, relationship_id: UUID, since: datetime, now: datetime) -> None:
        last = self._reminders.get(relationship_id)
        again = last is not None and last.since == since
        pause = min(last.pause * 2, LONGEST_PAUSE) if last is not None and again else FIRST_PAUSE
        self._reminders[relationship_id] = _Reminder(since, now, pause)

    def _forget_others(self, seen: Collection[UUID]) -> None:
        """Who owes nothing any more is nudged at once when they do again."""
        self._reminders = {key: reminder for key, reminder in self._reminders.items() if key in seen}


def _due(projects: Sequence[UUID], now: datetime) -> list[tuple[UUID, UUID, datetime]]:
    told: dict[str, Any] = {
        "projects": list(projects),
        "now": now,
        "graced": now - GRACE,
        "limit": ROWS_PER_PROJECT,
    }
    with connection.cursor() as cursor:
        cursor.execute(_DUE, told)
        return list(cursor.fetchall())
