"""The sweep: finds turns, and texts without their vector, that are owed and that nobody is told to do.

A nudge gets lost with the worker that took it; a retry falls due without anybody nudging; a lease outlives
its holder. The turns' rows know all of it, so the sweep reads them about once a second, takes dead leases
back, and nudges.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connection
from django_q.models import OrmQ

from memory.queue.leases import release_dead_leases
from memory.queue.nudge import nudge, nudge_embedding
from memory.queue.vector_sweep import VectorSweep

log = structlog.get_logger(__name__)

# A turn just taken in was nudged by its intake; give that a moment. A retry was nudged by nobody.
GRACE = timedelta(seconds=2)
# Between two nudges of one relationship that does not move; doubles.
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(seconds=60)
ROWS_PER_SWEEP = 1000
NUDGES_PER_SWEEP = 50
ENOUGH_QUEUED = 50  # with so many tasks waiting the pool is busy, and needs no reminding

# Served by the index turn_due. Resumes behind the last row seen, so that one long backlog does not hide the
# others.
_DUE = """
SELECT due_at, relationship_id FROM relationships_turn
 WHERE state = 'pending' AND due_at <= %(now)s AND (attempts > 0 OR due_at <= %(graced)s)
   AND (due_at, relationship_id) > (%(after_due)s, %(after_id)s)
 ORDER BY due_at, relationship_id LIMIT %(limit)s
"""
# A relationship is worth a nudge only if its first open turn can be claimed: behind one that is being worked
# on, or that waits for its retry, the others wait too. Served by the index turn_open.
_HEADS = """
SELECT wanted.id, head.id, head.attempts
  FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted (id, place), LATERAL (
       SELECT id, state, due_at, attempts FROM relationships_turn
        WHERE relationship_id = wanted.id AND state IN ('pending', 'processing')
          AND (state = 'processing' OR due_at IS NOT NULL) ORDER BY seq LIMIT 1) head
 WHERE head.state = 'pending' AND head.due_at <= %(now)s
 ORDER BY wanted.place
"""
_NEXT_DUE = "SELECT min(due_at) FROM relationships_turn WHERE state = 'pending' AND due_at > %s"

_Place = tuple[datetime, UUID]
_BEGINNING: _Place = (datetime.min.replace(tzinfo=UTC), UUID(int=0))


@dataclass(frozen=True, slots=True)
class _Head:
    """The turn a relationship has to do first, and how often it was tried."""

    relationship_id: UUID
    turn_id: UUID
    attempts: int


@dataclass(frozen=True, slots=True)
class _Reminder:
    """When a relationship was last nudged, about which head, and how long until it may be again."""

    head: _Head
    at: datetime
    pause: timedelta


class Sweep:
    """Remembers, between its rounds, where it stopped and whom it nudged."""

    def __init__(self) -> None:
        self._place = _BEGINNING
        self._reminders: dict[UUID, _Reminder] = {}
        self._vectors = VectorSweep()

    def run(self, now: datetime) -> int:
        """One round. How many nudges were sent."""
        released = release_dead_leases(now)
        if released:
            log.info("took leases back", event_name="queue.leases.released", relationships=len(released))
        nudged = set(released)
        owing: list[UUID] = []
        if not _enough_queued():
            nudged.update(self._remind(_heads(self._next_due(now), now), now))
            owing = self._vectors.due(now)
        for relationship_id in nudged:
            nudge(relationship_id)
        for relationship_id in owing:
            nudge_embedding(relationship_id)
        return len(nudged) + len(owing)

    def _next_due(self, now: datetime) -> list[UUID]:
        """Relationships with due turns, from where the last round stopped; from the beginning after the last
        one.
        """
        rows = _due_after(self._place, now)
        self._place = rows[-1] if len(rows) == ROWS_PER_SWEEP else _BEGINNING
        return list(dict.fromkeys(relationship_id for _, relationship_id in rows))

    def _remind(self, heads: Iterable[_Head], now: datetime) -> list[UUID]:
        """Whom to nudge: a head not seen before at once, one that was nudged already after its pause."""
        self._forget_old(now)
        chosen: list[UUID] = []
        for head in heads:
            last = self._reminders.get(head.relationship_id)
            same = last is not None and last.head == head
            if len(chosen) == NUDGES_PER_SWEEP or (same and last is not None and now - last.at < last.pause):
                continue
            pause = min(last.pause * 2, LONGEST_PAUSE) if same and last is not None else FIRST_PAUSE
            self._reminders[head.relationship_id] = _Reminder(head, now, pause)
            chosen.append(head.relationship_id)
        return chosen

    def _forget_old(self, now: datetime) -> None:
        if len(self._reminders) > ROWS_PER_SWEEP:
            self._reminders = {
                key: reminder
                for key, reminder in self._reminders.items()
                if now - reminder.at <= LONGEST_PAUSE
            }


def seconds_to_next_due(now: datetime) -> float:
    """How long the sweep may rest: until the next retry falls due, at most SWEEP_SECONDS."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT_DUE, [now])
        next_due: datetime | None = cursor.fetchone()[0]
    rest = (next_due - now).total_seconds() if next_due else settings.SWEEP_SECONDS
    return float(min(settings.SWEEP_SECONDS, max(0.05, rest)))


def _enough_queued() -> bool:
    waiting = OrmQ.objects.filter(key=settings.Q_CLUSTER["name"]).order_by()
    return len(waiting.values_list("id")[:ENOUGH_QUEUED]) == ENOUGH_QUEUED


def _due_after(place: _Place, now: datetime) -> list[_Place]:
    after_due, after_id = place
    with connection.cursor() as cursor:
        cursor.execute(
            _DUE,
            {
                "now": now,
                "graced": now - GRACE,
                "after_due": after_due,
                "after_id": after_id,
                "limit": ROWS_PER_SWEEP,
            },
        )
        return list(cursor.fetchall())


def _heads(relationship_ids: Sequence[UUID], now: datetime) -> list[_Head]:
    if not relationship_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_HEADS, {"ids": list(relationship_ids), "now": now})
        return [_Head(*row) for row in cursor.fetchall()]
