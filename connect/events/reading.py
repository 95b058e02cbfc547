"""Lists what happened in a relationship after a place in its history, from the rows themselves; events are not stored.

A place is two numbers: the `seq` of the last revision, which follows the order of commits, and a time for rows without
a `seq`. Those are listed a second late, and only after transactions that were open then have ended; otherwise their
rows would be missed.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from memory.models import EntryRevision, HeldDeletion
from relationships.models import SessionState, Turn, TurnState
from web.errors import InvalidInput
from web.field_problems import matching

MOST = 200  # rows of each kind at a time
SETTLING = timedelta(seconds=1)
LONGEST_WAIT = timedelta(minutes=5)  # for a long transaction
PLACE = r"^[0-9]{1,18}-[0-9]{1,18}$"
After = Annotated[str, matching(PLACE, "has to be the `id` of an event, or 0-0 for the beginning")]
# The oldest transaction in this database that writes, or waits for a lock. In a distributed one a session may write on
# other nodes alone, so every transaction counts.
_OLDEST_TRANSACTION = """
SELECT min(xact_start) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
   AND (backend_xid IS NOT NULL OR wait_event_type = 'Lock'
        OR backend_type = 'client backend' AND to_regclass('pg_dist_partition') IS NOT NULL)
"""


@dataclass(frozen=True, slots=True)
class Place:
    seq: int
    at: datetime

    def __str__(self) -> str:
        return f"{self.seq}-{self.microseconds}"

    @property
    def microseconds(self) -> int:
        return int(self.at.timestamp() * 1_000_000)

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Parse a place. Raises InvalidInput."""
        seq, _, at = text.partition("-")
        if not re.fullmatch(PLACE, text) or int(at) > 10**16:
            raise InvalidInput.of("after", "is not the id of an event, such as 12-1767225600000000")
        return cls(int(seq), datetime.fromtimestamp(int(at) / 1_000_000, UTC))

    @classmethod
    def reached(cls, text: str, *, last_seq: int, now: datetime) -> "Place":
        """Parse a place that the relationship, whose last number is `last_seq`, has reached. One that lies ahead (of
        another relationship, or from before a backup was restored) would silently skip what happens until then.

        Raises InvalidInput.
        """
        place = cls.parse(text)
        if place.seq > last_seq or place.at > now + LONGEST_WAIT:
            raise InvalidInput.of("after", "lies ahead of all events of this relationship: begin with 0-0")
        return place


@dataclass(frozen=True, slots=True)
class Happening:
    """An event. `data`: IDs and states, never texts. `id`: the place to continue from; events of the same moment share
    the previous place, except the last one. `key`: unique to the event, wherever the list starts.
    """

    id: str
    key: str
    type: str
    at: datetime
    data: dict[str, Any]


def present_place(relationship_id: UUID, *, now: datetime) -> Place:
    """The place after everything so far."""
    newest = (
        EntryRevision.objects.for_relationship(relationship_id).order_by("-seq").values_list("seq", flat=True)
    )
    return Place(newest.first() or 0, now - SETTLING)


def happened_after(relationship_id: UUID, place: Place, *, now: datetime) -> tuple[list[Happening], Place]:
    """Return what happened since, and the place after it. There may be more: call until the list is empty."""
    told: list[Happening] = []
    for revision in _revisions(relationship_id, place.seq):
        place = Place(revision["seq"], place.at)
        at = revision.pop("recorded_at")
        told.append(Happening(str(place), str(place.seq), "memory.changed", at, revision))
    timed, until = _timed(relationship_id, place.at, _settled(now))
    for number, (at, kind, row_id, data) in enumerate(timed, start=1):
        reached = Place(place.seq, at)
        if number == len(timed) or timed[number][0] > at:
            place = reached
        told.append(Happening(str(place), f"{row_id}-{reached.microseconds}", kind, at, data))
    return told, Place(place.seq, max(place.at, until))


def has_changed_since(relationship_id: UUID, place: Place) -> bool:
    """Return whether there are events that can be told at once."""
    return EntryRevision.objects.for_relationship(relationship_id).filter(seq__gt=place.seq).exists()


def is_more_to_tell(relationship_id: UUID, place: Place) -> bool:
    """Return whether anything happened after the place, settled or not."""
    after: list[tuple[_Rows, str, Any]] = [(EntryRevision.objects.for_relationship, "seq", place.seq)]
    after += [(rows, column, place.at) for _, rows, column, _ in _KINDS]
    return any(
        rows(relationship_id).filter(**{f"{column}__gt": last}).exists() for rows, column, last in after
    )


def _settled(now: datetime) -> datetime:
    """The time before which no more rows will appear."""
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST_TRANSACTION)
        oldest = max(cursor.fetchone()[0] or now, now - LONGEST_WAIT)
    return min(oldest, now) - SETTLING


def _revisions(relationship_id: UUID, seq: int) -> Iterable[dict[str, Any]]:
    rows = EntryRevision.objects.for_relationship(relationship_id).filter(seq__gt=seq).order_by("seq")
    return rows.values("seq", "recorded_at", "entry_id", "entry_version", "event", "actor_kind", "turn_id")[
        :MOST
    ]


def _timed(
    relationship_id: UUID, after: datetime, until: datetime
) -> tuple[list[tuple[datetime, str, UUID, dict[str, Any]]], datetime]:
    """The timed events in order, and the time until which they are complete."""
    found: list[tuple[datetime, str, UUID, dict[str, Any]]] = []
    for kind, rows, column, fields in _KINDS:
        span = {f"{column}__gt": after, f"{column}__lte": until}
        ordered = rows(relationship_id).order_by(column).values(column, *fields, row_id=F("id"))
        listed = list(ordered.filter(**span)[:MOST])
        if len(listed) == MOST:  # there may be more at the last moment
            until = listed[-1][column]
            listed = [row for row in listed if row[column] < until] + list(ordered.filter(**{column: until}))
        found += [(row.pop(column), kind, row.pop("row_id"), row) for row in listed]
    return sorted((one for one in found if one[0] <= until), key=lambda one: one[0]), until


_Rows = Callable[[UUID], Any]
_KINDS: tuple[tuple[str, _Rows, str, tuple[str, ...]], ...] = (
    (
        "turn.failed",
        lambda owner: Turn.objects.for_relationship(owner).filter(state=TurnState.FAILED),
        "settled_at",
        ("id", "error_code"),
    ),
    ("deletions.held", HeldDeletion.objects.for_relationship, "recorded_at", ("id", "turn_id")),
    ("session.ended", SessionState.objects.for_relationship, "ended_at", ("session",)),
)
