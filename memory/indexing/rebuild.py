"""Writes the index of a relationship anew, or what is missing of it: after an import, or a change of language."""

from collections.abc import Callable, Collection, Iterator
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from memory.indexing.wanted import Wanted, lock_config
from memory.indexing.write import NO_LANGUAGE, ROWS_AT_ONCE, index_entries, index_messages
from memory.models import ScratchpadEntry, SearchedKind, SearchText
from relationships.configuration.retrieval import Retrieval
from relationships.models import Message

# What is of nothing any more. No change leaves such rows; a hand in the database might.
_DROP_ORPHANS = """
DELETE FROM {table} s
 WHERE s.relationship_id = %(relationship)s AND NOT (
       s.kind = 'entry' AND EXISTS (
           SELECT FROM memory_scratchpadentry e
            WHERE e.relationship_id = %(relationship)s AND e.id = s.owner_id)
    OR s.kind = 'message' AND EXISTS (
           SELECT FROM relationships_message m
            WHERE m.relationship_id = %(relationship)s AND m.id = s.owner_id AND m.erased_at IS NULL))
"""
_DROPS = [_DROP_ORPHANS.format(table=table) for table in ("memory_searchtext", "memory_embedding")]


def rebuild_index(relationship_id: UUID, *, told: Callable[[int], None] = lambda rows: None) -> int:
    """Index every entry and message anew, a few hundred in a transaction; `told` hears how many each time.

    Vectors of texts that did not change stay. How many rows were written.
    """
    rows = 0
    for some in _pieces(relationship_id, missing_only=False):
        rows += some
        told(some)
    with transaction.atomic():
        if lock_config(relationship_id) is not None:
            with connection.cursor() as cursor:
                for statement in _DROPS:
                    cursor.execute(statement, {"relationship": relationship_id})
    return rows


def complete_index(relationship_id: UUID, *, most: int) -> int:
    """Index what has no row, or one of another language than is wanted now: about `most` at a time, newest first.

    How many rows were written; 0: nothing is missing.
    """
    rows = 0
    for some in _pieces(relationship_id, missing_only=True):
        rows += some
        if rows >= most:
            break
    return rows


def known_languages() -> frozenset[str]:
    """The text search configurations that this PostgreSQL brings."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT cfgname::text FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace"
        )
        return frozenset(row[0] for row in cursor.fetchall())


def language_of(retrieval: Retrieval, known: Collection[str]) -> str:
    """The one that rows are written in."""
    return retrieval.language if retrieval.language in known and retrieval.language else NO_LANGUAGE


def _pieces(relationship_id: UUID, *, missing_only: bool) -> Iterator[int]:
    """Index piece by piece, the newest first, entries before messages; how many each time.

    So where the oldest of a kind is in order, all of them are (memory.indexing.backfill).
    """
    known = known_languages() if missing_only else frozenset()
    for kind in (SearchedKind.ENTRY, SearchedKind.MESSAGE):
        before: Any = None
        while True:
            with transaction.atomic():
                wanted = lock_config(relationship_id)
                if wanted is None:
                    return
                rows = _next(kind, wanted, before, known if missing_only else None)
                if not rows:
                    break
                _index(kind, wanted, rows)
            before = rows[-1].id if kind == SearchedKind.ENTRY else rows[-1].seq
            yield len(rows)


def _next(kind: SearchedKind, wanted: Wanted, before: Any, known: Collection[str] | None) -> list[Any]:
    """The next rows below `before`; with `known` languages only those that are missing."""
    rows: QuerySet[Any]
    if kind == SearchedKind.ENTRY:
        order, rows = "id", ScratchpadEntry.objects.for_relationship(wanted.relationship_id).only("id")
    else:
        order, rows = "seq", Message.objects.for_relationship(wanted.relationship_id).filter(erased_at=None)
    if before is not None:
        rows = rows.filter(**{f"{order}__lt": before})
    if known is not None:
        indexed = SearchText.objects.for_relationship(wanted.relationship_id).filter(
            kind=kind, owner_id=OuterRef("id"), language=language_of(_retrieval(wanted), known)
        )
        rows = rows.filter(~Exists(indexed))
    return list(rows.order_by(f"-{order}")[:ROWS_AT_ONCE])


def _index(kind: SearchedKind, wanted: Wanted, rows: list[Any]) -> None:
    own: dict[str, Any] = {
        "relationship_id": wanted.relationship_id,
        "project_id": wanted.project_id,
        "retrieval": _retrieval(wanted),
        "now": timezone.now(),
    }
    if kind == SearchedKind.ENTRY:
        index_entries(**own, entry_ids=[row.id for row in rows])
    else:
        index_messages(**own, messages=rows)


def _retrieval(wanted: Wanted) -> Retrieval:
    return wanted.retrieval or Retrieval()
