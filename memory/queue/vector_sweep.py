"""Finds texts that owe vectors and that nobody is told to embed: nudges get lost, retries and leases fall due."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection

# A text just written was nudged by its change; give that a moment. A retry was nudged by nobody.
GRACE = timedelta(seconds=2)
# Between two nudges of one relationship that does not move; doubles.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(seconds=60)
ROWS_PER_SWEEP = 1000
NUDGES_PER_SWEEP = 20

# The longest due of each relationship, of the longest due of all. Served by the index searchtext_owed.
_DUE = """
SELECT relationship_id, min(embed_due_at) FROM (
    SELECT relationship_id, embed_due_at FROM memory_searchtext
     WHERE embed_due_at <= %(now)s AND (embed_attempts > 0 OR embed_due_at <= %(graced)s)
     ORDER BY embed_due_at LIMIT %(limit)s) longest
 GROUP BY relationship_id ORDER BY min(embed_due_at)
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

    def due(self, now: datetime) -> list[UUID]:
        """Whom to nudge: one not seen before at once, one that was nudged already after its pause."""
        with connection.cursor() as cursor:
            cursor.execute(_DUE, {"now": now, "graced": now - GRACE, "limit": ROWS_PER_SWEEP})
            rows: list[tuple[UUID, datetime]] = cursor.fetchall()
        self._forget_others({relationship_id for relationship_id, _ in rows})
        chosen: list[UUID] = []
        for relationship_id, since in rows:
            last = self._reminders.get(relationship_id)
            same = last is not None and last.since == since
            if len(chosen) == NUDGES_PER_SWEEP or (same and last is not None and now - last.at < last.pause):
                continue
            pause = min(last.pause * 2, LONGEST_PAUSE) if same and last is not None else FIRST_PAUSE
            self._reminders[relationship_id] = _Reminder(since, now, pause)
            chosen.append(relationship_id)
        return chosen

    def _forget_others(self, seen: Collection[UUID]) -> None:
        """Who owes nothing any more is nudged at once when they do again."""
        self._reminders = {key: reminder for key, reminder in self._reminders.items() if key in seen}
