"""Export a relationship as one JSON document, piece by piece, so that it is never in memory as a whole.

It is read in one snapshot of the database, so that entries and their history fit together whatever changes meanwhile.
`upkeep.archive.document` describes the document, `upkeep.importing` reads it.
"""

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

import orjson
from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection, transaction
from django.db.models import OuterRef
from django.db.models.functions import JSONObject

from behaviours.models import BehaviourRun, OutboxMessage
from config.postgresql.sessions import execute
from memory.ingestion.results import emptied
from memory.mending.forgotten import Forgotten
from memory.models import (
    EntryRevision,
    HeldDeletion,
    ModelCall,
    OperationResult,
    RevisionEvent,
    ScratchpadEntry,
)
from relationships.models import (
    Message,
    Profile,
    ProfileRevision,
    Relationship,
    SessionState,
    Turn,
)
from relationships.services.rows import require
from summaries.models import Summary, SummaryState
from upkeep.archive.document import SHAPES
from workspace.generated import supplied_specs, written_files
from workspace.models import MAIN
from workspace.store import read_blobs, read_head
from workspace.trees import EXECUTABLE, text_of

Row = dict[str, Any]
FORMAT, VERSION = "rapport.relationship", 1
ROWS_AT_ONCE, FILES_AT_ONCE = 200, 20
PIECE_BYTES = 65_536
_SHOWN = ("shown_message_ids", "reference_message_ids", "shown_entry_ids")
# A reader that stalls for longer is cut off, as its transaction keeps VACUUM from removing deleted rows.
STALL_SECONDS = 60


def export_relationship(*, relationship_id: UUID, calls: bool = False) -> Iterator[bytes]:
    """Yield the document in pieces of about 64 kB. With `calls`, it includes prompts and answers of models.

    Keeps a database connection until it is exhausted or closed. Raises NotFound at the first piece.
    """
    piece = bytearray()
    with _one_snapshot():
        for part in _document(relationship_id, calls=calls):
            piece += part
            if len(piece) >= PIECE_BYTES:
                yield bytes(piece)
                piece.clear()
        yield bytes(piece)


@contextmanager
def _one_snapshot() -> Iterator[None]:
    """Read from one snapshot, unless there is a transaction already, as its isolation can't be changed."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        execute(f"SET LOCAL idle_in_transaction_session_timeout = '{STALL_SECONDS}s'")
        yield


def _document(relationship_id: UUID, *, calls: bool) -> Iterator[bytes]:
    gone = ForgottenRows.of(relationship_id)
    head, companion_id = _head(relationship_id)
    yield _json(head)[:-1]
    yield from _array("profile_revisions", _rows(ProfileRevision, relationship_id, "version"))
    yield from _array("sessions", _rows(SessionState, relationship_id, "session"))
    yield from _array("turns", map(gone.turn, _without_workers(Turn, _turns(relationship_id))))
    entries = _rows(ScratchpadEntry, relationship_id)
    yield from _array("entries", (row for row in entries if row["id"] not in gone.entries))
    yield from _array("revisions", map(gone.revision, _rows(EntryRevision, relationship_id, "seq")))
    yield from _array("held_deletions", _rows(HeldDeletion, relationship_id))
    yield from _array(
        "summaries", map(gone.summary, _without_workers(Summary, _rows(Summary, relationship_id)))
    )
    fired = _without_workers(BehaviourRun, _rows(BehaviourRun, relationship_id))
    yield from _array("behaviour_runs", map(gone.run, fired))
    runs = BehaviourRun.objects.for_relationship(relationship_id).quoting_forgotten(gone)
    yield from _array("outbox", (gone.outbox(row, runs) for row in _rows(OutboxMessage, relationship_id)))
    yield from _array("files", files_to_keep(relationship_id, companion_id=companion_id))
    if calls:
        yield from _array("model_calls", map(gone.call, _rows(ModelCall, relationship_id)))
    yield b"}"


def _head(relationship_id: UUID) -> tuple[Row, UUID]:
    """The members that are not lists of rows, and the companion's ID."""
    rows = Relationship.objects.select_related("companion", "user")
    relationship = require(rows.filter(id=relationship_id), "relationship")
    companion, user = relationship.companion, relationship.user
    head = {
        "format": FORMAT,
        "version": VERSION,
        "exported_from": {"relationship_id": relationship.id, "created_at": relationship.created_at},
        "companion": {"slug": companion.slug, "name": companion.name},
        "user": {
            "external_id": user.external_id,
            "display_name": user.display_name,
            "metadata": user.metadata,
        },
        "relationship": {
            "timezone": relationship.timezone,
            "config": relationship.config,
            "last_turn_at": relationship.last_turn_at,
        },
        "profile": next(_rows(Profile, relationship_id), None),
    }
    return head, companion.id


def _rows(model: Any, relationship_id: UUID, order: str = "id") -> Iterator[Row]:
    rows = model.objects.for_relationship(relationship_id).order_by(order).values(*SHAPES[model].model_fields)
    found: Iterator[Row] = rows.iterator(chunk_size=ROWS_AT_ONCE)
    return found


def _without_workers(model: Any, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows of a queue, where those that a worker is processing are waiting again."""
    return ({**row, **model.WAITING} if row["state"] == model.HELD["state"] else row for row in rows)


def _turns(relationship_id: UUID) -> Iterator[Row]:
    """Turns with their operations and messages. Messages are read in parallel, by seq, as they follow their turn."""
    messages = Message.objects.for_relationship(relationship_id).order_by("seq")
    columns = SHAPES[Message].model_fields
    rows = messages.values("turn_id", *columns).iterator(chunk_size=ROWS_AT_ONCE)
    spoken = groupby(rows, key=itemgetter("turn_id"))
    turn_id, said = next(spoken, (None, iter(())))
    judged = OperationResult.objects.for_relationship(relationship_id).of_turn(OuterRef("id"))
    told = {name: name for name in SHAPES[OperationResult].model_fields}
    operations = ArraySubquery(judged.values(row=JSONObject(**told)))
    turns = Turn.objects.for_relationship(relationship_id).annotate(operations=operations).order_by("seq")
    of_turn = [name for name in SHAPES[Turn].model_fields if name != "messages"]
    for turn in turns.values(*of_turn).iterator(chunk_size=ROWS_AT_ONCE):
        own: list[Row] = []
        if turn_id == turn["id"]:
            own = [{name: row[name] for name in columns} for row in said]
            turn_id, said = next(spoken, (None, iter(())))
        yield {**turn, "messages": own}


def files_to_keep(relationship_id: UUID, *, companion_id: UUID) -> Iterator[Row]:
    """An agent's files on main that are not generated, as they are now. Their history can be moved by git."""
    head, supplied = read_head(relationship_id, MAIN), supplied_specs(companion_id)
    files = sorted(written_files(relationship_id, head.files, supplied).items()) if head else []
    for place in range(0, len(files), FILES_AT_ONCE):
        some = files[place : place + FILES_AT_ONCE]
        contents = read_blobs(relationship_id, [entry for _, entry in some])
        for path, entry in some:
            text, runs = text_of(contents[entry.sha256]), entry.mode == EXECUTABLE
            encoding = "base64" if text is None else "utf-8"
            content = b64encode(contents[entry.sha256]).decode() if text is None else text
            yield {"path": path, "content": content, "encoding": encoding, "executable": runs}


def _array(name: str, rows: Iterator[Row]) -> Iterator[bytes]:
    yield b',"%s":[' % name.encode()
    for place, row in enumerate(rows):
        yield (b"," if place else b"") + _json(row)
    yield b"]"


def _json(value: Any) -> bytes:
    """Serialise, with times in UTC with a Z and money as text."""
    return orjson.dumps(value, option=orjson.OPT_UTC_Z, default=str)


class ForgottenRows(Forgotten):
    """Removes from each kind of row what a person asked to forget: it is not exported."""

    __slots__ = ()

    def turn(self, row: Row) -> Row:
        if row["id"] in self.turns:
            row["error"] = ""
        for message in row["messages"]:
            if message["id"] in self.messages:
                erased_at = message["hidden_at"]
                message |= {"content": "", "metadata": {}, "erased_at": erased_at, "hidden_at": None}
        for operation in row["operations"]:
            cited = [UUID(one) for one in operation.get("message_ids") or ()]
            entry = operation.get("entry_id")
            if self.in_operation(cited, UUID(entry) if entry else None):
                operation |= {"operation": emptied(operation["operation"]), "reason": "", "held_reason": ""}
        return row

    def revision(self, row: Row) -> Row:
        if self.in_revision(row["entry_id"], row["entry_version"]):
            row |= {"before": None, "after": None, "reason": "", **_redacted(row)}
        if self.entries.get(row["entry_id"]) == row["entry_version"]:  # its history ends with the deletion
            row["event"] = RevisionEvent.REDACT
        return row

    def summary(self, row: Row) -> Row:
        if row["state"] == SummaryState.HIDDEN:
            gone = row["made_at"] or row["recorded_at"]
            row |= {"state": SummaryState.ERASED, "text": "", "error": "", "erased_at": gone}
        return row

    def run(self, row: Row) -> Row:
        if self.in_run(row["kind"], row["turn_id"], row["entry_ids"], row["fired_at"]):
            row |= dict.fromkeys(("rendered", "answer", "error"), "")
            if row["state"] != "pending":
                row |= {"outcome": "", **_redacted(row)}
        return row

    def outbox(self, row: Row, quoting: Collection[UUID]) -> Row:
        resting = self.turns if row["rests_on_reply"] else self.said_in
        if row["turn_id"] in resting or row["run_id"] in quoting:
            row |= {"content": "", **_redacted(row)}
        return row

    def call(self, row: Row) -> Row:
        shown = [one for name in _SHOWN for one in row[name]]
        if self.in_call(row["purpose"], shown, row["turn_ids"]):
            row |= dict.fromkeys(("system", "prompt", "answer", "error"), "") | _redacted(row)
        return row


def _redacted(row: Row) -> Row:
    return {"redacted_at": row["redacted_at"] or row["recorded_at"]}
