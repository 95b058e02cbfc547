"""Choose the relationships that the sweep enqueues: project by project, and less and less often without progress."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from worker.fairness import RoundRobin

# Seconds between two tasks of a relationship without progress; doubles.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(seconds=60)
REMEMBERED = 1000  # tasks, above which old ones are forgotten


class _Reminder(NamedTuple):
    owed: object
    at: datetime
    pause: timedelta


class Reminders:
    """Remembers which relationships were enqueued recently, and for what."""

    def __init__(self) -> None:
        self._last: dict[UUID, _Reminder] = {}
        self._round_robin = RoundRobin()

    def choose(
        self,
        owed: Mapping[UUID, Sequence[tuple[UUID, object]]],
        room: Mapping[UUID, int],
        now: datetime,
        *,
        most: int,
    ) -> dict[UUID, UUID]:
        """The relationships to enqueue now, with their projects: at once if something new is due, others after a pause.

        `owed`: by project, its relationships with what is due; `room`: how many tasks of a project may be enqueued.
        """
        if len(self._last) > REMEMBERED:
            self._last = {key: last for key, last in self._last.items() if now - last.at <= LONGEST_PAUSE}
        wanting = {
            project_id: [row for row in rows if not self._rests(*row, now)][: room[project_id]]
            for project_id, rows in owed.items()
        }
        chosen = self._round_robin.choose(wanting, most=most)
        for _, (relationship_id, what) in chosen:
            self._note(relationship_id, what, now)
        return {relationship_id: project_id for project_id, (relationship_id, _) in chosen}

    def _rests(self, relationship_id: UUID, owed: object, now: datetime) -> bool:
        last = self._last.get(relationship_id)
        return last is not None and last.owed == owed and now - last.at < last.pause

    def _note(self, relationship_id: UUID, owed: object, now: datetime) -> None:
        last = self._last.get(relationship_id)
        same = last is not None and last.owed == owed
        pause = min(last.pause * 2, LONGEST_PAUSE) if last is not None and same else FIRST_PAUSE
        self._last[relationship_id] = _Reminder(owed, now, pause)
