"""What happened in a relationship after a place in its history, read from the rows themselves: nothing else is kept.

A place is two numbers: the `seq` of the last revision, which is in the order of commits, and a time for what has no
number. What has none is told a second late, so that a transaction that was still open is not passed by.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F

from memory.models import EntryRevision, HeldDeletion
from relationships.models import SessionState, Turn, TurnState
from web.errors import InvalidInput

MOST = 200  # of each kind at once
SETTLING = timedelta(seconds=1)
PLACE = r"^[0-9]{1,18}-[0-9]{1,18}$"
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
    """`data`: IDs and states, never words. `id`: the place after it, which those of one moment share. `key`: its own,
    from whichever place it is told.
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
    timed, until = _timed(relationship_id, place.at, now - SETTLING)
    for at, kind, row_id, data in timed:
        place = Place(place.seq, at)
        told.append(Happening(str(place), f"{row_id}-{place.microseconds}", kind, at, data))
    return told, Place(place.seq, max(place.at, until))


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
        listed = list(
            rows(relationship_id)
            .filter(**span)
            .order_by(column)
            .values(column, *fields, row_id=F("id"))[:MOST]
        )
        if len(listed) == MOST:
            until = listed[-1][column]
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
