from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

# Between two nudges of one relationship that does not move; doubles.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(seconds=60)
REMEMBERED = 1000  # nudges, before old ones are forgotten


@dataclass(frozen=True, slots=True)
class _Reminder:
    owed: object
    at: datetime
    pause: timedelta


class Reminders:
    """Which relationships were nudged lately, and about what: one that does not move is nudged ever less often, one
    that owes something else at once.
    """

    def __init__(self) -> None:
        self._last: dict[UUID, _Reminder] = {}

    def rests(self, relationship_id: UUID, owed: object, now: datetime) -> bool:
        last = self._last.get(relationship_id)
        return last is not None and last.owed == owed and now - last.at < last.pause

    def note(self, relationship_id: UUID, owed: object, now: datetime) -> None:
        last = self._last.get(relationship_id)
        again = last is not None and last.owed == owed
        pause = min(last.pause * 2, LONGEST_PAUSE) if last is not None and again else FIRST_PAUSE
        self._last[relationship_id] = _Reminder(owed, now, pause)

    def forget_old(self, now: datetime) -> None:
        if len(self._last) > REMEMBERED:
            self._last = {key: last for key, last in self._last.items() if now - last.at <= LONGEST_PAUSE}
