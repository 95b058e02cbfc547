"""The entries as they were: what was true at a time, and what was known at a time, replayed from the revisions.

`as_of` asks by effective time: what had been said and done by then, with all we know today. `known_at` asks by
recorded time: what stood in the list at that moment. What was erased is in neither.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import DateTimeField, Field
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from memory.entries.history import FIELDS
from memory.models import EntryRevision, EntryState, ScratchpadEntry
from relationships.models import OwnedQuerySet

# Of revisions_at: as the list of what is there now, which goes by -effective_at and -id.
NEWEST_FIRST = ("-entry_effective_at", "-entry_id")


class PastLine(NamedTuple):
    """What one entry said at a moment."""

    id: UUID
    type: str
    content: str
    effective_at: datetime


_FIELDS = {field.attname: field for field in ScratchpadEntry._meta.concrete_fields}


def revisions_at(
    *, relationship_id: UUID, as_of: datetime | None, known_at: datetime | None, now: datetime
) -> OwnedQuerySet:
    """For every entry there was, in any state, the revision that says what it was. A time from now on means now.

    Ordered by NEWEST_FIRST; `after` holds the entry's fields, and `entry_of` makes an entry of them. The last revision
    within both times says what an entry was. By `seq` and not by date: of two changes with one date the later one
    holds, so that now is always what the list says.
    """
    last = _last_within(relationship_id, as_of, known_at, now).values("id")
    effective_at = Cast(KeyTextTransform("effective_at", "after"), DateTimeField())
    revisions = EntryRevision.objects.for_relationship(relationship_id).filter(id__in=last)
    there: OwnedQuerySet = revisions.annotate(entry_effective_at=effective_at).defer("before")
    return there.filter(entry_effective_at__isnull=False).order_by(*NEWEST_FIRST)


def active_lines_at(
    *, relationship_id: UUID, as_of: datetime | None, known_at: datetime | None, now: datetime
) -> list[PastLine]:
    """What the active entries said, newest first: as revisions_at, without all that a reader does not see."""
    read = [KeyTextTransform(name, "after") for name in ("state", "type", "content", "effective_at")]
    last = _last_within(relationship_id, as_of, known_at, now).values_list("entry_id", *read)
    lines = [
        PastLine(entry_id, type, content, datetime.fromisoformat(effective_at))
        for entry_id, state, type, content, effective_at in last
        if state == EntryState.ACTIVE
    ]
    return sorted(lines, key=lambda line: (line.effective_at, line.id), reverse=True)


def entry_of(fields: Mapping[str, Any], relationship_id: UUID, project_id: UUID) -> ScratchpadEntry:
    """The entry a revision describes, as an instance that is not to be saved."""
    values = {name: _value(_FIELDS[name], fields[name]) for name in FIELDS if name in fields}
    return ScratchpadEntry(relationship_id=relationship_id, project_id=project_id, **values)


def _last_within(
    relationship_id: UUID, as_of: datetime | None, known_at: datetime | None, now: datetime
) -> OwnedQuerySet:
    """Each entry's last revision within both times."""
    revisions = EntryRevision.objects.for_relationship(relationship_id)
    if known_at is not None and known_at < now:
        revisions = revisions.filter(recorded_at__lte=known_at)
    if as_of is not None and as_of < now:
        revisions = revisions.filter(effective_at__lte=as_of)
    return revisions.order_by("entry_id", "-seq").distinct("entry_id")


def _value(field: "Field[Any, Any]", plain: Any) -> Any:
    """What `memory.entries.history` made plain, as the field has it."""
    if plain is None:
        return None
    if field.get_internal_type() == "BinaryField":
        return bytes.fromhex(plain)
    if field.get_internal_type() == "ArrayField":
        return [UUID(item) for item in plain]
    return field.to_python(plain)
