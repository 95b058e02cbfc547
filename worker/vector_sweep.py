"""Finds texts that owe vectors and that nobody is told to embed: nudges get lost, retries and leases fall due."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from memory.models import SearchText
from worker.fairness import RoundRobin
from worker.leases import take_back_dead
from worker.reminders import Reminders

# A text just written was nudged by its change; give that a moment. A retry was nudged by nobody.
GRACE = timedelta(seconds=2)
ROWS_PER_PROJECT = 500
NUDGES_PER_SWEEP = 20

# Of each project, the longest due of each relationship, of the longest due of all. Served by the index
# searchtext_owed_in_project.
_DUE = """
SELECT p.id, due.relationship_id, due.since
  FROM unnest(%(projects)s::uuid[]) AS p (id), LATERAL (
       SELECT relationship_id, min(due_at) AS since FROM (
           SELECT relationship_id, due_at FROM memory_searchtext
            WHERE project_id = p.id AND due_at <= %(now)s AND lease_token IS NULL
              AND (attempts > 0 OR due_at <= %(graced)s)
            ORDER BY due_at LIMIT %(limit)s) longest
        GROUP BY relationship_id) due
 ORDER BY due.since
"""


class VectorSweep:
    """Remembers, between its rounds, whom it nudged."""

    def __init__(self) -> None:
        self._reminders = Reminders()
        self._round_robin = RoundRobin()

    def due(self, room: Mapping[UUID, int], now: datetime) -> dict[UUID, UUID]:
        """Whom to nudge, each with its project, which has room for it: one not seen before at once, one that was
        nudged already after its pause.
        """
        take_back_dead(SearchText.objects.all(), now, fields=("relationship", "id"))
        rows = _due([project for project, free in room.items() if free > 0], now)
        self._reminders.forget_old(now)
        owed: dict[UUID, list[tuple[UUID, datetime]]] = {}
        for project_id, relationship_id, since in rows:
            mine = owed.setdefault(project_id, [])
            if len(mine) < room[project_id] and not self._reminders.rests(relationship_id, since, now):
                mine.append((relationship_id, since))
        chosen = self._round_robin.choose(owed, most=NUDGES_PER_SWEEP)
        for _, (relationship_id, since) in chosen:
            self._reminders.note(relationship_id, since, now)
        return {relationship_id: project_id for project_id, (relationship_id, _) in chosen}


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
