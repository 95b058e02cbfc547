"""The one place where an entry's history is written: every change, with all fields before and after.

What rests on entries, such as the index of search, hears of every change here, in its transaction.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from memory.models import EntryRevision, RevisionEvent, ScratchpadEntry
from memory.models.entry import ACCESS_FIELDS
from relationships.services.sequence import allocate_seq
from web.actor import Actor

FIELDS = tuple(
    field.attname
    for field in ScratchpadEntry._meta.concrete_fields
    if field.attname not in {"relationship_id", "project_id", *ACCESS_FIELDS}
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a change comes from: which turn, which answer of which model, under which prompt version."""

    turn_id: UUID | None = None
    model_call_id: UUID | None = None
    prompt_version: int | None = None
    model: str = ""


NO_ORIGIN = Origin()


@dataclass(frozen=True, slots=True)
class Change:
    """One change that was made. `before` null: the entry is new. `after` null: it is gone for good."""

    event: RevisionEvent
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    effective_at: datetime
    reason: str = ""
    origin: Origin = NO_ORIGIN


@dataclass(frozen=True, slots=True)
class ChangedEntries:
    """Changes that were made to entries of one relationship, in order, under its row lock.

    `changes`: each entry before and after, as `fields_of` tells it. `levels`: the configuration of project, companion
    and relationship.
    """

    relationship_id: UUID
    project_id: UUID
    changes: Sequence[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]]
    levels: Sequence[Mapping[str, Any]]
    now: datetime


# Who is told, in the transaction of the change. Apps append theirs when they are ready.
change_listeners: list[Callable[[ChangedEntries], None]] = []


def fields_of(entry: ScratchpadEntry) -> dict[str, Any]:
    """All fields of an entry as JSON values: what a revision keeps, and what an entry is restored from.

    How often it was shown is no part of them.
    """
    return {name: plain(getattr(entry, name)) for name in FIELDS}


def record_changes(
    *, relationship_id: UUID, project_id: UUID, changes: Sequence[Change], by: Actor, now: datetime
) -> list[EntryRevision]:
    """Append one revision a change, numbered in order, and tell the listeners.

    Call it in the transaction that makes the changes, after they are made.
    """
    if not changes:
        return []
    first, *levels = allocate_seq(relationship_id, count=len(changes))
    made = ChangedEntries(
        relationship_id,
        project_id,
        changes=[
            (change.before, change.after)
            for change in changes
            if change.event != RevisionEvent.NONE or change.before is None
        ],
        levels=levels,
        now=now,
    )
    for listener in change_listeners:
        listener(made)
    return EntryRevision.objects.bulk_create(
        make_revisions(
            relationship_id=relationship_id,
            project_id=project_id,
            changes=changes,
            first=first,
            by=by,
            now=now,
        )
    )


def make_revisions(
    *,
    relationship_id: UUID,
    project_id: UUID,
    changes: Iterable[Change],
    first: int,
    by: Actor,
    now: datetime,
) -> list[EntryRevision]:
    """One a change, numbered from `first`, not yet written: for an import, which writes all it brings at once."""
    return [
        _revision(change, relationship_id, project_id, first + place, by, now)
        for place, change in enumerate(changes)
    ]


def _revision(
    change: Change, relationship_id: UUID, project_id: UUID, seq: int, by: Actor, now: datetime
) -> EntryRevision:
    known = change.after or change.before
    assert known is not None, "a change has a before or an after"
    return EntryRevision(
        relationship_id=relationship_id,
        project_id=project_id,
        entry_id=UUID(known["id"]),
        entry_version=known["version"],
        seq=seq,
        event=change.event,
        before=change.before,
        after=change.after,
        actor_kind=by.kind,
        actor_id=by.id,
        turn_id=change.origin.turn_id,
        model_call_id=change.origin.model_call_id,
        prompt_version=change.origin.prompt_version,
        model=change.origin.model,
        reason=change.reason,
        recorded_at=now,
        effective_at=change.effective_at,
    )


def plain(value: Any) -> Any:
    """A column's value as a revision keeps it: JSON, times as ISO 8601."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
