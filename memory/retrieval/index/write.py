"""Write SearchText rows, in the transaction that changes the text, and mark their vectors as due.

Call it under the relationship's row lock. Vectors are written under the same lock, so that none of an earlier text can
be written afterwards.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from psycopg import sql

from config.postgresql.sessions import execute, prepared_cursor
from memory.entries.history import ChangedEntries
from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import RelationshipConfig, config_of, retrieval_of
from memory.retrieval.index.language import NO_STEMS, keep_language, known_languages
from memory.retrieval.index.rows import (
    IndexRow,
    entry_row,
    is_off_the_record,
    message_row,
    rows_json,
)
from memory.retrieval.index.segments import SEGMENT, pack_again, pack_messages
from relationships.models import Message, Turn, TurnState
from relationships.services.turns import Stored, WrittenBeside
from worker.enqueue import enqueue_embedding

log = structlog.get_logger(__name__)

ROWS_AT_ONCE = 500

# A changed text owes a new vector; an unchanged one keeps what it owes, so that neither a retry's time nor a lease is
# lost. A restored one counts as new, and so does a message that was off the record and is read after all. It selects
# from the relationship's row, so that a distributed database runs it on that row's node.
_WRITE = """
INSERT INTO memory_searchtext AS kept
       (relationship_id, id, project_id, kind, owner_id, place, session, role, speaker, state, told_at,
        language, lexemes, length, text_hash, due_at, attempts, error_code, leased_by)
SELECT r.id, g.id, %(project)s::uuid, %(kind)s::text, g.owner_id, g.place, g.session, g.role, g.speaker,
       g.state, g.told_at, {language}, made.lexemes,
       (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(made.lexemes)), g.text_hash,
       CASE WHEN g.owes THEN %(now)s::timestamptz END, 0, '', ''
  FROM relationships_relationship r
 CROSS JOIN json_to_recordset(%(rows)s::json)
       AS g (id uuid, owner_id uuid, place bigint, session text, role text, speaker text, state text,
             told_at timestamptz, words text, text_hash bytea, owes boolean)
 CROSS JOIN LATERAL to_tsvector(('pg_catalog.' || {language})::regconfig, g.words) AS made (lexemes)
 WHERE r.id = %(relationship)s
ON CONFLICT (relationship_id, kind, owner_id) DO UPDATE
   SET place = EXCLUDED.place, session = EXCLUDED.session, role = EXCLUDED.role, speaker = EXCLUDED.speaker,
       state = EXCLUDED.state, told_at = EXCLUDED.told_at, language = EXCLUDED.language,
       lexemes = EXCLUDED.lexemes, length = EXCLUDED.length, text_hash = EXCLUDED.text_hash,
       due_at = CASE WHEN EXCLUDED.due_at IS NULL THEN NULL {when_same} THEN kept.due_at ELSE EXCLUDED.due_at END,
       attempts = CASE {when_same} THEN kept.attempts ELSE 0 END,
       error_code = CASE {when_same} THEN kept.error_code ELSE '' END,
       lease_token = CASE {when_same} THEN kept.lease_token END,
       lease_until = CASE {when_same} THEN kept.lease_until END,
       leased_by = CASE {when_same} THEN kept.leased_by ELSE '' END
RETURNING due_at = %(now)s::timestamptz
"""
WRITTEN: str = (
    sql.SQL(_WRITE)
    .format(
        when_same=sql.SQL(
            "WHEN kept.text_hash = EXCLUDED.text_hash AND kept.state NOT IN ('deleted', 'skipped')"
        ),
        language=sql.SQL(
            "coalesce(%(language)s::text, CASE WHEN r.language = ANY(%(known)s::text[]) THEN r.language END,"
            " %(no_stems)s::text)"
        ),
    )
    .as_string()
)
# Selected before writing: whether an earlier row is due, so that there is a task already; and the last segment. The
# writing statement can't return them, as it may read no table on a distributed database.
ASKED = """
(SELECT min(due_at) FROM memory_searchtext
  WHERE relationship_id = %(relationship)s AND due_at < %(now)s AND lease_token IS NULL) IS NOT NULL,
(SELECT max(number) FROM memory_searchsegment
  WHERE relationship_id = %(relationship)s AND %(kind)s::text = 'message')"""
_BEFORE = f"SELECT {ASKED}"
_DROP_STALE = """
DELETE FROM memory_embedding e USING json_to_recordset(%(rows)s::json) AS g (owner_id uuid, text_hash bytea)
 WHERE e.relationship_id = %(relationship)s AND e.kind = %(kind)s::text AND e.owner_id = g.owner_id
   AND e.text_hash <> g.text_hash
"""
_FORGET = f"""
WITH texts AS (
    DELETE FROM memory_searchtext
     WHERE relationship_id = %(relationship)s AND kind = %(kind)s AND owner_id = ANY(%(owners)s) RETURNING place
), vectors AS (
    DELETE FROM memory_embedding
     WHERE relationship_id = %(relationship)s AND kind = %(kind)s AND owner_id = ANY(%(owners)s) RETURNING 1
)
SELECT (SELECT count(*) FROM texts), (SELECT count(*) FROM vectors),
       ARRAY(SELECT DISTINCT place / {SEGMENT} FROM texts)
"""  # noqa: S608 - a constant of ours


class Forgotten(NamedTuple):
    """How many rows were deleted."""

    search_text: int
    embedding: int


def index_changes(made: ChangedEntries) -> None:
    """Index changed entries. A listener of every change; without an `after` an entry is gone, or about to go."""
    owner, retrieval = made.relationship_id, retrieval_of(made.levels)
    known = {UUID(each["id"]) for pair in made.changes for each in pair if each is not None}
    gone = {UUID(before["id"]) for before, after in made.changes if before is not None and after is None}
    forget_texts(relationship_id=owner, kind=SearchedKind.ENTRY, owner_ids=gone)
    changed = any(
        before is not None and after is not None and before["content"] != after["content"]
        for before, after in made.changes
    )
    tells_language = made.tells_language and any(before is None for before, _ in made.changes)
    if tells_language and keep_language(owner):  # earlier ones are rewritten, the oldest by a worker
        ids = ScratchpadEntry.objects.for_relationship(owner).order_by("-id").values_list("id", flat=True)
        known |= set(ids[:ROWS_AT_ONCE])
    rows = [entry_row(made.entries[one], retrieval) for one in known - gone if one in made.entries]
    rows += _rows(owner, SearchedKind.ENTRY, known - gone - made.entries.keys(), retrieval)
    _write(owner, made.project_id, SearchedKind.ENTRY, rows, retrieval, made.now, changed=changed)


@dataclass(slots=True)
class NewMessages:
    """The messages of one turn, indexed by the statement that stores them. Call `beside` while storing it, then
    `settle`, under the relationship's row lock.
    """

    retrieval: Retrieval
    now: datetime
    _rows: list[IndexRow] = field(default_factory=list)

    def beside(self, turn: Turn, messages: Sequence[Message]) -> WrittenBeside:
        """The index rows, for the storing statement."""
        off = is_off_the_record(turn)
        self._rows = [message_row(message, self.retrieval, off_the_record=off) for message in messages]
        own = turn.relationship_id, turn.project_id
        params = params_of(*own, SearchedKind.MESSAGE, self.retrieval, self.now)
        return WrittenBeside(WRITTEN, ASKED, params | {"rows": rows_json(self._rows)})

    def settle(self, stored: Stored) -> None:
        """Pack full segments, and enqueue the embedding, after the rows were written."""
        told, last = stored.answers
        pack_messages(stored.turn.relationship_id, [row.place for row in self._rows], last=last)
        if not told and any(row.owes for row in self._rows):
            enqueue_embedding(stored.turn.relationship_id, project_id=stored.turn.project_id)


def index_again(
    config: RelationshipConfig, kind: SearchedKind, owner_ids: Collection[UUID], *, now: datetime
) -> None:
    """Index these entries or messages as they are now; those that are gone, erased or hidden leave the index.

    A message that is off the record is indexed, in case its turn is read after all, but no search finds it, and it owes
    no vector.
    """
    owner, retrieval = config.relationship_id, config.written_as
    rows = _rows(owner, kind, owner_ids, retrieval)
    gone = set(owner_ids) - {row.owner_id for row in rows}
    forget_texts(relationship_id=owner, kind=kind, owner_ids=gone)
    changed = kind == SearchedKind.ENTRY  # what a message says never changes
    _write(owner, config.project_id, kind, rows, retrieval, now, changed=changed)


def _rows(
    relationship_id: UUID, kind: SearchedKind, ids: Collection[UUID], retrieval: Retrieval
) -> list[IndexRow]:
    if not ids:
        return []
    if kind == SearchedKind.ENTRY:
        entries = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=set(ids))
        return [entry_row(entry, retrieval) for entry in entries]
    found = Message.objects.for_relationship(relationship_id).filter(erased_at=None, hidden_at=None)
    messages = list(found.filter(id__in=set(ids)).order_by("seq"))
    skipped = Turn.objects.for_relationship(relationship_id).filter(state=TurnState.SKIPPED)
    turns = skipped.filter(id__in={message.turn_id for message in messages})
    off = {turn.id for turn in turns if is_off_the_record(turn)}
    return [message_row(message, retrieval, off_the_record=message.turn_id in off) for message in messages]


def index_hidden(relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> None:
    """Index messages that were hidden or shown again. A listener."""
    config = config_of(relationship_id)
    if config is not None:
        index_again(config, SearchedKind.MESSAGE, message_ids, now=now)


def forget_texts(*, relationship_id: UUID, kind: SearchedKind, owner_ids: Collection[UUID]) -> Forgotten:
    """Remove texts and their vectors, in every space, from the index."""
    if not owner_ids:
        return Forgotten(0, 0)
    params = {"relationship": relationship_id, "kind": kind.value, "owners": list(owner_ids)}
    [(texts, vectors, segments)] = execute(_FORGET, params)
    if kind == SearchedKind.MESSAGE:
        pack_again(relationship_id, segments)
    return Forgotten(texts, vectors)


def _write(
    relationship_id: UUID,
    project_id: UUID,
    kind: SearchedKind,
    rows: Sequence[IndexRow],
    retrieval: Retrieval,
    now: datetime,
    *,
    changed: bool,
) -> None:
    params = params_of(relationship_id, project_id, kind, retrieval, now)
    owed = False
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[start : start + ROWS_AT_ONCE]
        values = params | {"rows": rows_json(some)}
        with prepared_cursor() as cursor:
            told, last = False, None
            if kind == SearchedKind.MESSAGE or any(row.owes for row in some):
                cursor.execute(_BEFORE, params)
                told, last = cursor.fetchone()
            if changed:
                cursor.execute(_DROP_STALE, values)
            cursor.execute(WRITTEN, values)
            written = cursor.fetchall()
        owed = owed or (not told and any(owes for (owes,) in written))
        if kind == SearchedKind.MESSAGE:
            pack_messages(relationship_id, [row.place for row in some], last=last)
    if owed:
        enqueue_embedding(relationship_id, project_id=project_id)


def params_of(
    relationship_id: UUID, project_id: UUID, kind: SearchedKind, retrieval: Retrieval, now: datetime
) -> dict[str, Any]:
    """The parameters of WRITTEN and ASKED, besides the rows."""
    known = known_languages()
    return {
        "relationship": relationship_id,
        "project": project_id,
        "kind": kind.value,
        "language": _known(retrieval.language, known),
        "known": f"{{{','.join(known)}}}",
        "no_stems": NO_STEMS,
        "now": now,
    }


_warned: set[str] = set()


def _known(wanted: str | None, known: Collection[str]) -> str | None:
    """The configured language, if this PostgreSQL has it (otherwise warn, once per process); None: the detected one."""
    if wanted is None or wanted in known:
        return wanted
    if wanted not in _warned:
        _warned.add(wanted)
        log.warning(
            "PostgreSQL has no such text search configuration, so words are not stemmed",
            event_name="indexing.language.missing",
            language=wanted,
        )
    return NO_STEMS
