"""The entries as they were: what was true at some time, and what was known at some time, read from the revisions.

`as_of` selects by effective time: what had been said and done by then, as far as is known today. `known_at` selects by
recorded time: what the list contained at that moment. What was erased is in neither.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import DateTimeField, Field
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from memory.entries.history import FIELDS
from memory.models import EntryRevision, EntryState, ScratchpadEntry
from relationships.models import OwnedQuerySet

# For revisions_at: the same order as the list of present entries, by -effective_at and -id.
NEWEST_FIRST = ("-entry_effective_at", "-entry_id")


class PastLine(NamedTuple):
    """What one entry said at a moment."""

    id: UUID
    type: str
    content: str
    effective_at: datetime


class PastChange(NamedTuple):
    """One change of an entry, with what it said from then on; without it if it was erased since."""

    id: UUID
    event: str
    at: datetime
    state: str
    type: str
    content: str
    effective_at: str


_FIELDS = {field.attname: field for field in ScratchpadEntry._meta.concrete_fields}


def revisions_at(
    *, relationship_id: UUID, as_of: datetime | None, known_at: datetime | None, now: datetime
) -> OwnedQuerySet:
    """For every entry that existed, in any state, the revision with its state at that time. A future time means now.

    Ordered by NEWEST_FIRST. `after` has the entry's fields, from which `entry_of` makes an entry. The last revision
    within both times counts, by `seq` and not by date: of two changes with the same date the later one counts, so that
    now is always the present list.
    """
    within = EntryRevision.objects.for_relationship(relationship_id)
    if known_at is not None and known_at < now:
        within = within.filter(recorded_at__lte=known_at)
    if as_of is not None and as_of < now:
        within = within.filter(effective_at__lte=as_of)
    last = within.order_by("entry_id", "-seq").distinct("entry_id").values("id")
    effective_at = Cast(KeyTextTransform("effective_at", "after"), DateTimeField())
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(id__in=last)
    there: OwnedQuerySet = revisions.annotate(entry_effective_at=effective_at).defer("before")
    return there.filter(entry_effective_at__isnull=False).order_by(*NEWEST_FIRST)


def changes_of(relationship_id: UUID, *, known: bool) -> list[PastChange]:
    """Every change, in order, with its recorded time (`known`) or its effective time."""
    read = [KeyTextTransform(name, "after") for name in ("state", "type", "content", "effective_at")]
    time = "recorded_at" if known else "effective_at"
    revisions = EntryRevision.objects.for_relationship(relationship_id).order_by("seq")
    return [PastChange(*row) for row in revisions.values_list("entry_id", "event", time, *read)]


def lines_at(changes: Iterable[PastChange], moment: datetime | None) -> list[PastLine]:
    """What the active entries said by then (None: now), newest first. Like revisions_at, with visible columns only."""
    last = {change.id: change for change in changes if moment is None or change.at <= moment}
    lines = [
        PastLine(change.id, change.type, change.content, datetime.fromisoformat(change.effective_at))
        for change in last.values()
        if change.state == EntryState.ACTIVE
    ]
    return sorted(lines, key=lambda line: (line.effective_at, line.id), reverse=True)


def entry_of(fields: Mapping[str, Any], relationship_id: UUID, project_id: UUID) -> ScratchpadEntry:
    """Make an instance from a revision's fields. It must not be saved."""
    values = {name: _value(_FIELDS[name], fields[name]) for name in FIELDS if name in fields}
    return ScratchpadEntry(relationship_id=relationship_id, project_id=project_id, **values)


def with_times(fields: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The fields in a revision, with times as datetimes."""
    if fields is None:
        return None
    return {
        name: _readable(name, plain) if isinstance(_FIELDS.get(name), DateTimeField) else plain
        for name, plain in fields.items()
    }


def differing_fields(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The names of the fields that both have, with different values. The same time in another zone is equal, and what
    can't be parsed is equal only to itself.
    """
    names = [name for name in FIELDS if name in one and name in other and one[name] != other[name]]
    return [name for name in names if _readable(name, one[name]) != _readable(name, other[name])]


def _readable(name: str, plain: Any) -> Any:
    try:
        return _value(_FIELDS[name], plain)
    except (ValueError, TypeError, AttributeError, ValidationError):
        return plain


def _value(field: "Field[Any, Any]", plain: Any) -> Any:
    """Convert a value that `memory.entries.history` made plain back to the field's type."""
    if plain is None:
        return None
    if field.get_internal_type() == "BinaryField":
        return bytes.fromhex(plain)
    if field.get_internal_type() == "ArrayField":
        return [UUID(item) for item in plain]
    return field.to_python(plain)
