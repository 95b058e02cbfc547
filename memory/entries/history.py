"""The only writer of entries: `change_entries` writes the rows and their history, and updates the search index and the
snapshot, in one transaction.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

import orjson

from config.postgresql.rows import insert_of, rows_text
from config.postgresql.sessions import prepared_cursor
from memory.entries.fingerprint import content_hash
from memory.entries.limits import refuse_changes_beyond_limits
from memory.entries.snapshots import rebuild_scratchpad
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry
from memory.models.entry import ACCESS_FIELDS
from relationships.same_json import same_json
from relationships.services.sequence import TAKE_NUMBERS
from web.actor import Actor
from web.errors import NotFound

FIELDS = tuple(
    field.attname
    for field in ScratchpadEntry._meta.concrete_fields
    if field.attname not in {"relationship_id", "project_id", *ACCESS_FIELDS}
)
# The columns of the unique indexes: a change of one of these gives an active entry another text or key.
_TAKEN = {"state", "subject", "type", "content_hash", "key", "single_valued"}

# The revisions are numbered from the value in the relationship's row before the numbers are taken: in PostgreSQL no
# part of a statement sees what another part wrote, and Citus runs the inserts before the update. The rows are selected
# from the relationship's row so that Citus runs the statement on that row's node.
_OWN_ROW = ", relationships_relationship r WHERE r.id = %(relationship)s"
_NUMBERED = {"relationship_id": "r.id", "seq": "r.last_seq + 1 + given.seq"}
_WRITE = f"""
WITH entries AS ({insert_of(ScratchpadEntry, "entries")}),
     revisions AS ({insert_of(EntryRevision, "revisions", source=_OWN_ROW, **_NUMBERED)})
{TAKE_NUMBERS}
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a change comes from: the turn, the model call and its model, and the prompt version."""

    turn_id: UUID | None = None
    model_call_id: UUID | None = None
    prompt_version: int | None = None
    model: str = ""


NO_ORIGIN = Origin()


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one entry. `before` None: the entry is new. `after` None: it is removed permanently.

    `entry` is the row to write, in its state after the last change; None if the row is not written.
    """

    event: RevisionEvent
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    effective_at: datetime
    reason: str = ""
    origin: Origin = NO_ORIGIN
    entry: ScratchpadEntry | None = None


def added(entry: ScratchpadEntry, *, reason: str = "", origin: Origin = NO_ORIGIN) -> Change:
    """The change that begins an entry."""
    return Change(RevisionEvent.ADD, None, fields_of(entry), entry.effective_at, reason, origin, entry)


def changed(
    entry: ScratchpadEntry,
    event: RevisionEvent,
    *,
    at: datetime,
    reason: str = "",
    origin: Origin = NO_ORIGIN,
    **values: Any,
) -> Change:
    """Set these columns of an entry, and increase its version. Return the change."""
    before = fields_of(entry)
    _set(entry, values)
    entry.version += 1
    return Change(event, before, fields_of(entry), at, reason, origin, entry)


def with_values(entry: ScratchpadEntry, values: Mapping[str, Any]) -> ScratchpadEntry:
    """A copy of an entry with other values in these columns, to look at before it is changed."""
    other = copy(entry)
    _set(other, values)
    return other


def _set(entry: ScratchpadEntry, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(entry, name, value)
    if "content" in values:
        entry.content_hash = content_hash(entry.content)


@dataclass(frozen=True, slots=True)
class ChangedEntries:
    """Changes that were made to entries of one relationship, in order, under its row lock.

    `changes`: each entry before and after, in the format of `fields_of`; `entries`: the rows that were written, by ID.
    `levels`: the configuration of project, companion and relationship. `tells_language`: there are no messages yet,
    and no language was detected. `first`: number of the first revision.
    """

    relationship_id: UUID
    project_id: UUID
    changes: Sequence[tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]]
    entries: Mapping[UUID, ScratchpadEntry]
    levels: Sequence[Mapping[str, Any]]
    tells_language: bool
    now: datetime
    first: int


# Called in the transaction of the change. Apps append their listeners in `ready()`.
change_listeners: list[Callable[[ChangedEntries], None]] = []


def fields_of(entry: ScratchpadEntry) -> dict[str, Any]:
    """All fields of an entry as JSON values, as stored in revisions and used to restore an entry.

    How often it was shown is not among them.
    """
    return {name: plain(getattr(entry, name)) for name in FIELDS}


def change_entries(
    *,
    relationship_id: UUID,
    project_id: UUID,
    changes: Sequence[Change],
    by: Actor,
    now: datetime,
    stood_before: bool = False,
) -> list[EntryRevision]:
    """Write changes of entries of one relationship, in order: rows, revisions, index of search, snapshot.

    Call it in a transaction, under the relationship's row lock. Return the revisions. Raises InvalidInput, before it
    writes, if a limit of entries is exceeded; but not if it `stood_before`, as limits may have changed.
    """
    if not changes:
        return []
    for change in changes:
        if change.after is not None and not stood_before:
            refuse_changes_beyond_limits(change.before, change.after)
    revisions = make_revisions(
        relationship_id=relationship_id, project_id=project_id, changes=changes, first=0, by=by, now=now
    )
    _change_rows(relationship_id, changes)
    new = {change.entry.id: change.entry for change in changes if change.entry and change.before is None}
    levels, tells_language = _insert(relationship_id, list(new.values()), revisions)
    made = ChangedEntries(
        relationship_id,
        project_id,
        changes=[
            (change.before, change.after)
            for change in changes
            if change.event != RevisionEvent.NONE or change.before is None
        ],
        entries={change.entry.id: change.entry for change in changes if change.entry is not None},
        levels=levels,
        tells_language=tells_language,
        now=now,
        first=revisions[0].seq,
    )
    for listener in change_listeners:
        listener(made)
    rebuild_scratchpad(relationship_id=relationship_id, project_id=project_id, now=now)
    return revisions


def _insert(
    relationship_id: UUID, entries: Sequence[ScratchpadEntry], revisions: Sequence[EntryRevision]
) -> tuple[Sequence[Mapping[str, Any]], bool]:
    """Insert new entries and the revisions, which are numbered from 0 and get their real numbers here.

    Return the levels of the configuration, and whether the language should be detected from the entries.
    """
    given = {"entries": rows_text(entries), "revisions": rows_text(revisions)}
    with prepared_cursor() as cursor:
        cursor.execute(_WRITE, {"relationship": relationship_id, "count": len(revisions), **given})
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship does not exist.")
    last, *levels, tells_language = row
    for revision in revisions:
        revision.seq += last - len(revisions) + 1
    return [orjson.loads(level) for level in levels], tells_language


def _change_rows(relationship_id: UUID, changes: Sequence[Change]) -> None:
    """Changes that free a text or a key are written before those that take one, so that the unique indexes allow them.
    Entries that change in the same way are written by one statement; not those that may also free one for each other.
    """
    owned = ScratchpadEntry.objects.for_relationship(relationship_id)
    alike: dict[str, tuple[list[UUID], dict[str, Any]]] = {}
    taking: list[tuple[list[UUID], dict[str, Any]]] = []
    back: dict[str, tuple[list[UUID], dict[str, Any]]] = {}
    for entry, values in _differing(changes):
        taken = _TAKEN & values.keys() if entry.state == EntryState.ACTIVE else set()
        if taken - {"state"}:
            taking.append(([entry.id], values))
        else:
            same = back if taken else alike
            same.setdefault(repr(values), ([], values))[0].append(entry.id)
    for ids, values in [*alike.values(), *taking, *back.values()]:
        owned.filter(id__in=ids).update(**values)
    if gone := [UUID(change.before["id"]) for change in changes if change.before and not change.after]:
        owned.filter(id__in=gone).delete()


def _differing(changes: Sequence[Change]) -> Iterator[tuple[ScratchpadEntry, dict[str, Any]]]:
    """Each existing row that was changed, with the changed columns."""
    first: dict[UUID, Change] = {}
    for change in changes:
        if change.entry is not None and change.before != change.after:
            first.setdefault(change.entry.id, change)
    for change in first.values():
        if change.entry is None or change.before is None:
            continue
        now = fields_of(change.entry)
        names = [name for name in FIELDS if not same_json(now[name], change.before.get(name))]
        if names:
            yield change.entry, {name: getattr(change.entry, name) for name in names}


def make_revisions(
    *,
    relationship_id: UUID,
    project_id: UUID,
    changes: Iterable[Change],
    first: int,
    by: Actor,
    now: datetime,
) -> list[EntryRevision]:
    """One per change, numbered from `first`, not written yet: an import writes all of its rows at once."""
    revisions: list[EntryRevision] = []
    for seq, change in enumerate(changes, start=first):
        known = change.after or change.before
        assert known is not None, "a change has a before or an after"
        revision = EntryRevision(
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
        revisions.append(revision)
    return revisions


def plain(value: Any) -> Any:
    """A column's value as stored in a revision: JSON, times as ISO 8601."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
