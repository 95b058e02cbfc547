"""What happened in a relationship after a place in its history, read from the rows themselves: nothing else is kept.

A place is two numbers: the `seq` of the last revision, which is in the order of commits, and a time for what has no
number. What has none is told a second late, and not before transactions that were open then have ended: what they
write would be passed by.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from memory.models import EntryRevision, HeldDeletion
from relationships.models import SessionState, Turn, TurnState
from web.errors import InvalidInput

MOST = 200  # of each kind at once
SETTLING = timedelta(seconds=1)
LONGEST_WAIT = timedelta(minutes=5)  # for a transaction that ends late
PLACE = r"^[0-9]{1,18}-[0-9]{1,18}$"
# Of those that write in this database, or wait until they may.
_OLDEST_TRANSACTION = """
SELECT min(xact_start) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
   AND (backend_xid IS NOT NULL OR wait_event_type = 'Lock')
"""
_PLACE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


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
        """Raises InvalidInput: it is no place of ours."""
        found = _PLACE.fullmatch(text)
        if found is None or int(found[2]) > 10**16:
            raise InvalidInput.of("after", "is no event's id, such as 12-1767225600000000")
        return cls(int(found[1]), datetime.fromtimestamp(int(found[2]) / 1_000_000, UTC))


@dataclass(frozen=True, slots=True)
class Happening:
    """`data`: IDs and states, never words. `id`: the place from which what comes after it is told, and of one moment
    all, until the last of them. `key`: its own, from whichever place it is told.
    """

    id: str
    key: str
    type: str
    at: datetime
    data: dict[str, Any]


def present_place(relationship_id: UUID, *, now: datetime) -> Place:
    """After all that has happened."""
    newest = (
        EntryRevision.objects.for_relationship(relationship_id).order_by("-seq").values_list("seq", flat=True)
    )
    return Place(newest.first() or 0, now - SETTLING)


def happened_after(relationship_id: UUID, place: Place, *, now: datetime) -> tuple[list[Happening], Place]:
    """What happened since, and the place after that. There may be more: ask until nothing comes."""
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


def is_more_to_tell(relationship_id: UUID, place: Place) -> bool:
    """Whether anything happened after the place, settled or not."""
    after: list[tuple[_Rows, str, Any]] = [(EntryRevision.objects.for_relationship, "seq", place.seq)]
    after += [(rows, column, place.at) for _, rows, column, _ in _KINDS]
    return any(
        rows(relationship_id).filter(**{f"{column}__gt": last}).exists() for rows, column, last in after
    )


def _settled(now: datetime) -> datetime:
    """Before this nothing is written any more."""
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
    """In the order of time, and until when they are all of it."""
    found: list[tuple[datetime, str, UUID, dict[str, Any]]] = []
    for kind, rows, column, fields in _KINDS:
        span = {f"{column}__gt": after, f"{column}__lte": until}
        ordered = rows(relationship_id).order_by(column).values(column, *fields, row_id=F("id"))
        listed = list(ordered.filter(**span)[:MOST])
        if len(listed) == MOST:  # there may be more of its moment
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
