"""Reads an exported relationship back, into one that is empty: everything or nothing.

IDs and times stay as they were, so citations, operations and history still fit together. Only `seq` is new: the same
order, numbered on from where the relationship is. What was owed (pending turns) is owed here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from django.db import connection, transaction
from django.db.models import F, Model
from django.utils import timezone
from psycopg import sql

from memory.errors import NotEmpty, TooManyEntries
from memory.indexing.rebuild import rebuild_index
from memory.models import (
    EntryRevision,
    EntrySource,
    HeldDeletion,
    ModelCall,
    RevisionEvent,
    ScratchpadEntry,
)
from memory.queue.nudge import nudge
from memory.services.archive_checks import check_archive, count_active, order_of
from memory.services.erasure.tally import table_name
from memory.services.fingerprint import content_hash
from memory.services.history import Change, fields_of, record_changes
from memory.services.snapshots import rebuild_scratchpad
from relationships.actor import Actor
from relationships.configuration.cascade import resolve_configuration
from relationships.errors import NotFound
from relationships.models import (
    Message,
    Profile,
    ProfileRevision,
    Relationship,
    SessionState,
    Turn,
    TurnState,
)
from relationships.services.audit import record_audit
from relationships.services.sequence import allocate_seq, lock_relationship
from relationships.services.snapshots import write_section

Archive = Mapping[str, Any]
Rows = list[dict[str, Any]]
Tables = dict[type[Model], Rows]

REASON = "imported"  # of the first revision of an entry that came without a history


@transaction.atomic
def import_relationship(*, relationship: Relationship, archive: Archive, by: Actor) -> dict[str, int]:
    """Fill an empty relationship with what `memory.api.archive.Archive` holds; how many rows, by table.

    Raises NotEmpty, NotFound, InvalidInput, InvalidConfiguration, TooManyEntries: then nothing is written.
    """
    if not lock_relationship(relationship.id):
        raise NotFound("This relationship is not there.")
    now = timezone.now()
    check_archive(archive, now=now)
    _refuse_too_many(relationship, archive)
    tables = _tables(archive, now)
    _refuse_unless_empty(relationship, tables)
    _renumber(relationship, tables)
    for model, rows in tables.items():
        _insert(model, relationship, rows)
    _begin_histories(relationship, tables, by, now)
    _take_over(relationship, archive, tables, now)
    rebuild_index(relationship.id)
    counts = {table_name(model): len(rows) for model, rows in tables.items() if rows}
    record_audit(
        project_id=relationship.project_id,
        action="relationship.imported",
        target_kind="relationship",
        target_id=relationship.id,
        by=by,
        detail={"imported": counts},
    )
    return counts


def _tables(archive: Archive, now: datetime) -> Tables:
    turns = archive["turns"]
    return {
        Profile: [archive["profile"]] if archive["profile"] else [],
        ProfileRevision: archive["profile_revisions"],
        SessionState: list(_sessions(archive)),
        Turn: [_turn(turn) for turn in turns],
        Message: [_message(message, turn) for turn in turns for message in turn["messages"]],
        ScratchpadEntry: list(_entries(archive, now)),
        EntryRevision: list(archive["revisions"]),
        HeldDeletion: [
            {**held, "deletions": _as_json(held["deletions"])} for held in archive["held_deletions"]
        ],
        ModelCall: archive["model_calls"],
    }


def _sessions(archive: Archive) -> Iterator[dict[str, Any]]:
    turns = Counter(turn["session"] for turn in archive["turns"])
    return ({**session, "turns": turns[session["session"]]} for session in archive["sessions"])


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    columns = {name: value for name, value in turn.items() if name != "messages"}
    return {**columns, "operations": _as_json(turn["operations"])}


def _message(message: dict[str, Any], turn: dict[str, Any]) -> dict[str, Any]:
    return {**message, "turn_id": turn["id"], "session": turn["session"]}


def _entries(archive: Archive, now: datetime) -> Iterator[dict[str, Any]]:
    told = {revision["entry_id"] for revision in archive["revisions"]}
    for entry in archive["entries"]:
        recorded_at = entry["recorded_at"] or now
        yield {
            **entry,
            "source": entry["source"] if entry["id"] in told else EntrySource.IMPORT,
            "content_hash": content_hash(entry["content"]),
            "recorded_at": recorded_at,
            "effective_at": entry["effective_at"] or recorded_at,
        }


def _refuse_too_many(relationship: Relationship, archive: Archive) -> None:
    """By the limit that will hold here: the archive brings the relationship's own configuration."""
    resolved = resolve_configuration(
        project=relationship.project.config,
        companion=relationship.companion.config,
        relationship=archive["relationship"]["config"],
    )
    count, limit = count_active(archive), resolved.values.ingestion.max_entries
    if count > limit:
        raise TooManyEntries(
            f"It holds {count} active entries; ingestion.max_entries allows {limit}. Raise it or import fewer.",
            limit=limit,
            count=count,
        )


def _refuse_unless_empty(relationship: Relationship, tables: Tables) -> None:
    for model in tables:
        if model._base_manager.filter(relationship_id=relationship.id).exists():
            what = model._meta.verbose_name
            raise NotEmpty(
                f"This relationship holds something already ({what}): import into a new one, or erase it first."
            )


def _renumber(relationship: Relationship, tables: Tables) -> None:
    """In place: turns, messages and revisions keep their common order."""
    numbered = [tables[Turn], tables[Message], tables[EntryRevision]]
    order = order_of(row["seq"] for rows in numbered for row in rows)
    if not order:
        return
    first = allocate_seq(relationship.id, count=len(order))
    for rows in numbered:
        rows[:] = [{**row, "seq": first + order[row["seq"]]} for row in rows]


def _insert(model: type[Model], relationship: Relationship, rows: Rows) -> None:
    """By COPY, which takes a hundred thousand rows in seconds, and the times as they are: Django's own insert would
    put the present one into `recorded_at`."""
    fields: list[Any] = list(model._meta.local_concrete_fields)
    own = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table),
        sql.SQL(", ").join(sql.Identifier(field.column) for field in fields),
    )
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([_written(field, {**own, **row}) for field in fields])


def _written(field: Any, row: dict[str, Any]) -> Any:
    value = row[field.attname] if field.attname in row else field.get_default()
    prepared = field.get_db_prep_save(value, connection)
    return str(prepared) if isinstance(prepared, str) else prepared  # psycopg would write an enum's name


def _begin_histories(relationship: Relationship, tables: Tables, by: Actor, now: datetime) -> None:
    """An entry that came without a history begins one here."""
    told = {revision["entry_id"] for revision in tables[EntryRevision]}
    bare = [row["id"] for row in tables[ScratchpadEntry] if row["id"] not in told]
    entries = ScratchpadEntry.objects.for_relationship(relationship.id).filter(id__in=bare).order_by("id")
    record_changes(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        changes=[
            Change(RevisionEvent.ADD, None, fields_of(entry), entry.effective_at, REASON) for entry in entries
        ],
        by=by,
        now=now,
    )


def _take_over(relationship: Relationship, archive: Archive, tables: Tables, now: datetime) -> None:
    """The relationship's own values, its snapshot, and what is owed."""
    Relationship.objects.filter(id=relationship.id).update(
        **archive["relationship"], version=F("version") + 1, updated_at=now
    )
    own: dict[str, Any] = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    for profile in tables[Profile]:
        write_section(**own, section="profile", value=profile["data"])
    open_sessions = {
        row["session"]: row["state"]
        for row in tables[SessionState]
        if row["state"] and row["ended_at"] is None
    }
    write_section(**own, section="sessions", value=open_sessions)
    rebuild_scratchpad(**own, now=now)
    if any(turn["state"] == TurnState.PENDING and turn["due_at"] for turn in tables[Turn]):
        nudge(relationship.id, project_id=relationship.project_id)


def _as_json(value: Sequence[Any]) -> Any:
    return orjson.loads(orjson.dumps(value, default=str))
