"""Read what an answer is applied to: the present state of the entries in its operations."""

from collections.abc import Collection, Iterable, Sequence, Set
from datetime import datetime
from typing import Any
from uuid import UUID

from config.postgresql.rows import columns_of, take_instance
from config.postgresql.sessions import prepared_cursor
from memory.entries.fingerprint import content_hash
from memory.ingestion.apply_state import ApplyState
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation, Refusal
from memory.ingestion.overflow import tokens_at_most
from memory.models import EntryRevision, EntryState, RevisionEvent, ScratchpadEntry

_READ = f"""
SELECT active, bytes, lines,
       ARRAY(SELECT shown.id FROM unnest(%(shown)s::uuid[]) AS shown (id)
              WHERE NOT EXISTS (SELECT 1 FROM memory_scratchpadentry s
                                 WHERE s.relationship_id = %(relationship)s AND s.id = shown.id)
                AND NOT EXISTS (SELECT 1 FROM relationships_message m
                                 WHERE m.relationship_id = %(relationship)s AND m.id = shown.id
                                   AND m.erased_at IS NULL AND m.hidden_at IS NULL)),
       e.id, {columns_of(ScratchpadEntry, "e")}
  FROM (SELECT count(*) AS active,
               coalesce(sum(octet_length(content)) FILTER (WHERE tier = 'scratchpad'), 0) AS bytes,
               count(*) FILTER (WHERE tier = 'scratchpad') AS lines
          FROM memory_scratchpadentry WHERE relationship_id = %(relationship)s AND state = 'active') counted
  LEFT JOIN memory_scratchpadentry e
         ON e.relationship_id = %(relationship)s
        AND (e.id = ANY(%(ids)s) OR (e.content_hash = ANY(%(hashes)s) AND e.state = ANY(%(states)s))
             OR (e.key = ANY(%(keys)s) AND e.state = 'active' AND e.single_valued))
"""  # noqa: S608 - columns of ours


def open_state(
    given: IngestionInput,
    items: Sequence[Operation | Refusal],
    *,
    now: datetime,
    shown: Collection[UUID] = (),
) -> tuple[ApplyState, Set[UUID]]:
    """Return the state that operations are applied to; and of everything `shown`, the entries that no longer exist and
    the messages whose text was erased.

    One statement, and one more if a deleted entry said the same. Call it under the lock.
    """
    operations = [item for item in items if isinstance(item, Operation)]
    if not operations and not shown:
        return ApplyState(given, now), frozenset()
    named = [given.entries[o.entry - 1] for o in operations if o.entry is not None]
    wanted = [EntryState.ACTIVE, EntryState.DELETED]
    if any(o.op == "none" for o in operations):
        wanted.append(EntryState.SUPERSEDED)
    asked: dict[str, Any] = {
        "relationship": given.relationship_id,
        "shown": list(shown),
        "ids": [entry.id for entry in named],
        "hashes": [content_hash(o.content) for o in operations if o.content],
        "states": [state.value for state in wanted],
        "keys": list({key for key in (*(o.key for o in operations), *(entry.key for entry in named)) if key}),
    }
    with prepared_cursor() as cursor:
        cursor.execute(_READ, asked)
        found = cursor.fetchall()
    active, bytes_, lines, gone = found[0][:4]
    rows = [take_instance(ScratchpadEntry, iter(row[5:])) for row in found if row[4] is not None]
    state = ApplyState(
        given,
        now,
        {row.id: row for row in rows},
        _forgotten(given.relationship_id, rows),
        active_count=active,
        scratchpad_tokens=tokens_at_most(bytes_, lines),
    )
    return state, frozenset(gone)


def _forgotten(relationship_id: UUID, rows: Iterable[ScratchpadEntry]) -> dict[tuple[str, bytes], datetime]:
    """When entries that said something were deleted (effective time), by subject and hash."""
    deleted = {
        row.id: (row.subject, bytes(row.content_hash)) for row in rows if row.state == EntryState.DELETED
    }
    if not deleted:
        return {}
    revisions = EntryRevision.objects.for_relationship(relationship_id).order_by("seq")
    ended = revisions.filter(entry_id__in=list(deleted), event=RevisionEvent.DELETE)
    return {deleted[entry_id]: at for entry_id, at in ended.values_list("entry_id", "effective_at")}
