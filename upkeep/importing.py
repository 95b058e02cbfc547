"""Import an exported relationship into an empty one: everything or nothing.

IDs and times stay the same, so that citations, operations and history still fit together. Only `seq` is new: in the
same order, it continues from the relationship's own. What was waiting (pending turns) is due at once, as the provider
or budget that it waited for belongs to the other service.
"""

from array import array
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, F, Model, OuterRef
from django.utils import timezone
from psycopg import sql

from behaviours.models import BehaviourRun, OutboxMessage
from config.postgresql.sessions import execute
from memory.entries.fingerprint import content_hash
from memory.entries.history import Change, fields_of, make_revisions
from memory.entries.snapshots import rebuild_scratchpad
from memory.errors import NotEmpty, TooManyEntries
from memory.ingestion.claim import is_owed
from memory.ingestion.results import emptied, mentioned_in, searched_columns
from memory.models import (
    EntryRevision,
    EntrySource,
    HeldDeletion,
    ModelCall,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
)
from memory.retrieval.index.backfill import rebuild_index
from relationships.configuration.cascade import resolve_configuration
from relationships.ids import uuid7
from relationships.models import Message, Profile, ProfileRevision, Relationship, SessionState, Turn
from relationships.services.audit import audit_row
from relationships.services.configuration import check_level
from relationships.services.rows import require_lock
from relationships.services.sequence import allocate_seq
from relationships.services.sessions import rebuild_sessions
from relationships.services.snapshots import write_section
from summaries.models import Summary
from summaries.snapshot import rebuild_summary
from upkeep.archive.checks import Overview, check_archive
from upkeep.archive.document import SHAPES
from upkeep.archive.file import ArchiveFile
from upkeep.archive.other_rows import content_of
from upkeep.erasure.counts import table_name
from upkeep.statistics import look_at_table
from web.actor import Actor
from worker.enqueue import enqueue
from workspace.files import change_files
from workspace.models import MAIN
from workspace.store import read_head

Rows = Iterable[dict[str, Any]]

REASON = "imported"  # of the first revision of an entry without a history
ROWS_AT_ONCE = 500
_FILLED = " UNION ALL ".join(
    f"(SELECT '{model._meta.verbose_name}' FROM {model._meta.db_table}"  # noqa: S608 - names of our own
    " WHERE relationship_id = %(relationship)s LIMIT 1)"
    for model in SHAPES
)
# The model calls that turns name but the archive lacks; `verify` does not report those.
_LEFT_BEHIND = """
SELECT count(*) FROM relationships_turn t, unnest(t.model_call_ids) asked (id)
 WHERE t.relationship_id = %(relationship)s AND NOT EXISTS (
       SELECT 1 FROM memory_modelcall c WHERE c.relationship_id = t.relationship_id AND c.id = asked.id)
"""


def import_relationship(*, relationship: Relationship, archive: ArchiveFile, by: Actor) -> dict[str, int]:
    """Fill an empty relationship with the rows of an archive; return how many, by table.

    All of it is checked before the first row is written and before anything is locked. Raises NotEmpty, NotFound,
    InvalidInput, InvalidConfiguration, TooManyEntries; then nothing was written.
    """
    _refuse_unless_empty(relationship)
    config = archive.head["relationship"]["config"]  # which replaces the relationship's
    check_level(config, inside="relationship.config")
    values = resolve_configuration(
        project=relationship.project.config, companion=relationship.companion.config, relationship=config
    ).values
    overview = check_archive(archive, configuration=values)
    count, limit = overview.active, values.ingestion.max_entries
    if count > limit:
        raise TooManyEntries(
            f"It holds {count} active entries; ingestion.max_entries allows {limit}. Raise it or import fewer.",
            limit=limit,
            count=count,
        )
    return _write(relationship, archive, overview, by)


@transaction.atomic
def _write(relationship: Relationship, archive: ArchiveFile, overview: Overview, by: Actor) -> dict[str, int]:
    require_lock(relationship.id)
    now = timezone.now()
    _refuse_unless_empty(relationship)
    first = allocate_seq(relationship.id, count=len(overview.numbers)) if overview.numbers else 0
    tables = _tables(archive, overview, first, now)
    written = {table_name(model): _insert(model, relationship, rows) for model, rows in tables.items()}
    _begin_histories(relationship, by, now)
    _take_over(relationship, archive, now, messages=overview.messages)
    rebuild_index(relationship.id)
    counts = {table: count for table, count in written.items() if count}
    if files := _take_over_files(relationship, archive, by):
        counts["file"] = files
    left_behind = execute(_LEFT_BEHIND, {"relationship": relationship.id})[0][0]
    audit_row(relationship, "relationship.imported", by, imported=counts, calls_left_behind=left_behind)
    return counts


def _tables(archive: ArchiveFile, overview: Overview, first: int, now: datetime) -> dict[type[Model], Rows]:
    """Each table's rows, made lazily while they are written."""

    def number(row: dict[str, Any]) -> int:
        """The new seq, by which turns, messages and revisions keep their common order."""
        return first + overview.place_of(row["seq"])

    def numbered(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "seq": number(row)}

    @cache
    def spoken() -> "array[int]":
        """The new seq of all messages, in order; computed when the first summary needs it."""
        turns = archive.rows("turns")
        return array("q", (number(message) for turn in turns for message in turn["messages"]))

    profile = archive.head["profile"]
    sessions, entries = archive.rows("sessions"), archive.rows("entries")
    return {
        Profile: [profile] if profile else [],
        ProfileRevision: archive.rows("profile_revisions"),
        SessionState: ({**row, "turns": overview.turns[row["session"]]} for row in sessions),
        Turn: (numbered(_due(row, now)) for row in archive.rows("turns")),
        Message: (
            numbered({**message, "turn_id": row["id"], "session": row["session"]})
            for row in archive.rows("turns")
            for message in row["messages"]
        ),
        ScratchpadEntry: (_entry(row, overview, now) for row in entries),
        EntryRevision: (numbered(row) for row in archive.rows("revisions")),
        OperationResult: (operation for row in archive.rows("turns") for operation in _operations(row)),
        HeldDeletion: archive.rows("held_deletions"),
        Summary: (_summary(row, spoken(), now) for row in archive.rows("summaries")),
        BehaviourRun: (_due(row, now) for row in archive.rows("behaviour_runs")),
        OutboxMessage: archive.rows("outbox"),
        ModelCall: archive.rows("model_calls"),
    }


def _summary(summary: dict[str, Any], spoken: "array[int]", now: datetime) -> dict[str, Any]:
    ends = {"first_seq": spoken[0], "last_seq": spoken[summary["messages"] - 1]}
    return {**_due(summary, now), **ends}


def _due(row: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Make what waited for another attempt due at once, but not what is scheduled for a time."""
    waits = row["due_at"] is not None and not row.get("occasion", "").startswith("at:")
    return {**row, "due_at": min(row["due_at"], now)} if waits else row


def _operations(turn: dict[str, Any]) -> Rows:
    """A turn's operations, with the columns by which erasure finds them."""
    for number, row in enumerate(turn["operations"]):
        texts = (row["reason"], row["held_reason"])
        entry_ids = [row["entry_id"], *row["entry_ids"], *mentioned_in(row["reason"])]
        any_message = [message["id"] for message in turn["messages"]]
        erased = not any(texts) and row["operation"] == emptied(row["operation"])
        yield {
            **row,
            **searched_columns(row["operation"], *texts),
            "turn_id": turn["id"],
            "number": number,
            "entry_ids": list(dict.fromkeys(entry_id for entry_id in entry_ids if entry_id is not None)),
            "message_ids": any_message if row["message_ids"] is None else row["message_ids"],
            "erased": erased,
            **({"text": "", "content_hash": None} if erased else {}),
        }


def _entry(entry: dict[str, Any], overview: Overview, now: datetime) -> dict[str, Any]:
    recorded_at = entry["recorded_at"] or now
    told = entry["id"] is not None and entry["id"].bytes in overview.told
    return {
        **entry,
        "id": entry["id"] or uuid7(),
        "source": entry["source"] if told else EntrySource.IMPORT,
        "content_hash": content_hash(entry["content"]),
        "recorded_at": recorded_at,
        "effective_at": entry["effective_at"] or recorded_at,
    }


def _refuse_unless_empty(relationship: Relationship) -> None:
    if found := execute(_FILLED, {"relationship": relationship.id}):
        raise NotEmpty(
            f"This relationship holds something already ({found[0][0]}): import into a new one, or erase it first."
        )


def _insert(model: type[Model], relationship: Relationship, rows: Rows) -> int:
    """Insert rows by COPY, and return how many.

    It takes seconds for a hundred thousand, and keeps `recorded_at`, which Django's insert would overwrite.
    """
    fields: list[Any] = list(model._meta.local_concrete_fields)
    own = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table),
        sql.SQL(", ").join(sql.Identifier(field.column) for field in fields),
    )
    with connection.wrap_database_errors, connection.cursor() as cursor, cursor.copy(statement) as copy:
        count = 0
        for row in rows:
            count += 1
            copy.write_row([_written(field, {**own, **row}) for field in fields])
    look_at_table(model._meta.db_table, new=count)
    return count


def _written(field: Any, row: dict[str, Any]) -> Any:
    value = row[field.attname] if field.attname in row else field.get_default()
    prepared = field.get_db_prep_save(value, connection)
    return str(prepared) if isinstance(prepared, str) else prepared  # psycopg would write an enum's name


def _begin_histories(relationship: Relationship, by: Actor, now: datetime) -> None:
    """Begin the history of each entry that has none. `rebuild_index` indexes them."""
    told = EntryRevision.objects.for_relationship(relationship.id).filter(entry_id=OuterRef("id"))
    bare = ScratchpadEntry.objects.for_relationship(relationship.id).filter(~Exists(told)).order_by("id")
    while entries := list(bare[:ROWS_AT_ONCE]):
        revisions = make_revisions(
            relationship_id=relationship.id,
            project_id=relationship.project_id,
            changes=[
                Change(RevisionEvent.ADD, None, fields_of(entry), entry.effective_at, REASON)
                for entry in entries
            ],
            first=allocate_seq(relationship.id, count=len(entries)),
            by=by,
            now=now,
        )
        _insert(EntryRevision, relationship, [vars(revision) for revision in revisions])
        bare = bare.filter(id__gt=entries[-1].id)


def _take_over(relationship: Relationship, archive: ArchiveFile, now: datetime, *, messages: int) -> None:
    """Write the relationship's own columns and its snapshot, and enqueue a task if anything is due."""
    Relationship.objects.filter(id=relationship.id).update(
        **archive.head["relationship"], message_count=messages, version=F("version") + 1, updated_at=now
    )
    own: dict[str, Any] = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    if profile := archive.head["profile"]:
        write_section(**own, section="profile", value=profile["data"])
    rebuild_sessions(relationship)
    rebuild_scratchpad(**own, now=now)
    rebuild_summary(**own)
    if is_owed(relationship.id):
        enqueue(relationship.id, project_id=relationship.project_id)


def _take_over_files(relationship: Relationship, archive: ArchiveFile, by: Actor) -> int:
    """Commit the files at once, unless main exists already (moved by git before). Return how many."""
    if read_head(relationship.id, MAIN):
        return 0
    changes: dict[str, bytes] = {}
    can_run: dict[str, bool] = {}
    for row in archive.rows("files"):
        changes[row["path"]] = content_of(row)
        can_run[row["path"]] = row["executable"]
    if changes:
        message = "Import the files"
        change_files(relationship=relationship, changes=changes, can_run=can_run, by=by, message=message)
    return len(changes)
