"""Rebuild the index of a relationship, or add what is missing; and walk all relationships to find what is missing.

So texts from before there was an index, or with another language or embedder, are indexed without a command. They are
always indexed from the newest to the oldest: if the oldest of a kind is indexed, all are. A relationship where nothing
is missing costs a few index probes.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from config.postgresql.sessions import execute
from memory.models import ScratchpadEntry, SearchedKind, SearchText
from memory.retrieval.index.configs import RelationshipConfig, configs_of, lock_config
from memory.retrieval.index.gaps import has_gaps, owe_gaps
from memory.retrieval.index.language import NO_STEMS, keep_language, known_languages
from memory.retrieval.index.write import ROWS_AT_ONCE, index_again
from providers.embeddings.registry import working_embedder
from relationships.models import Message, Relationship
from relationships.services.sequence import lock_relationship
from worker.enqueue import enqueue_embedding
from worker.failures import each_alone

RELATIONSHIPS_A_STEP = 200
ROWS_A_STEP = 2_000
TASKS_A_STEP = 50
# How often all texts are checked for vectors, and not only the oldest and the newest.
CHECKS_ALL = timedelta(days=1)

_INCOMPLETE = """
SELECT r.id FROM relationships_relationship r
  JOIN unnest(%(ids)s::uuid[], %(languages)s::text[]) AS w (id, language) ON w.id = r.id
 WHERE EXISTS (
       SELECT 1 FROM (
           (SELECT 'entry' AS kind, id FROM memory_scratchpadentry WHERE relationship_id = r.id
             ORDER BY id LIMIT 1)
           UNION ALL
           (SELECT 'entry', id FROM memory_scratchpadentry WHERE relationship_id = r.id
             ORDER BY id DESC LIMIT 1)
           UNION ALL
           (SELECT 'message', id FROM relationships_message
             WHERE relationship_id = r.id AND erased_at IS NULL AND hidden_at IS NULL ORDER BY seq LIMIT 1)
           UNION ALL
           (SELECT 'message', id FROM relationships_message
             WHERE relationship_id = r.id AND erased_at IS NULL AND hidden_at IS NULL ORDER BY seq DESC LIMIT 1)
       ) ends
        WHERE NOT EXISTS (
              SELECT 1 FROM memory_searchtext s
               WHERE s.relationship_id = r.id AND s.kind = ends.kind AND s.owner_id = ends.id
                 AND s.language = w.language))
"""
# Rows without a text. No change leaves any, but somebody editing the database might.
_DROP_ORPHANS = """
DELETE FROM {table} s
 WHERE s.relationship_id = %(relationship)s AND NOT (
       s.kind = 'entry' AND EXISTS (
           SELECT 1 FROM memory_scratchpadentry e
            WHERE e.relationship_id = %(relationship)s AND e.id = s.owner_id)
    OR s.kind = 'message' AND EXISTS (
           SELECT 1 FROM relationships_message m
            WHERE m.relationship_id = %(relationship)s AND m.id = s.owner_id
               AND m.erased_at IS NULL AND m.hidden_at IS NULL))
"""
_DROPS = [_DROP_ORPHANS.format(table=table) for table in ("memory_searchtext", "memory_embedding")]


def rebuild_index(relationship_id: UUID) -> int:
    """Index every entry and message again, a few hundred per transaction, and delete rows of what is gone.

    Vectors of unchanged texts stay. Return how many rows were written.
    """
    with transaction.atomic():
        if lock_relationship(relationship_id):
            keep_language(relationship_id)
    rows = sum(_pieces(relationship_id, missing_only=False))
    with transaction.atomic():
        if lock_relationship(relationship_id):
            for statement in _DROPS:
                execute(statement, {"relationship": relationship_id})
    return rows


def complete_index(relationship_id: UUID, *, most: int) -> int:
    """Index texts without a row, or with one in another language than wanted: about `most`, newest first.

    Return how many rows were written; 0: nothing is missing.
    """
    rows = 0
    for some in _pieces(relationship_id, missing_only=True):
        rows += some
        if rows >= most:
            break
    return rows


class Backfill:
    """Walks all relationships, a few per step. Between steps it remembers which it saw last."""

    def __init__(self) -> None:
        self._after = UUID(int=0)
        self._checks_all = True  # in this walk
        self._checked_all_at: datetime | None = None

    def step(self, now: datetime) -> int:
        """Check the next relationships; return how many rows were written or relationships enqueued."""
        if not self._after.int:
            self._checks_all = self._checked_all_at is None or now - self._checked_all_at >= CHECKS_ALL
            self._checked_all_at = now if self._checks_all else self._checked_all_at
        ids = Relationship.objects.filter(id__gt=self._after).order_by("id").values_list("id", flat=True)
        wanted = configs_of(list(ids[:RELATIONSHIPS_A_STEP]))
        if not wanted:
            self._after = UUID(int=0)
            return 0
        rows = 0
        for relationship_id in _incomplete(wanted):
            rows += each_alone([relationship_id], partial(complete_index, most=ROWS_A_STEP - rows))
            if rows >= ROWS_A_STEP:
                return rows  # the next step continues with these
        self._after = wanted[-1].relationship_id
        rows += _enqueue_gaps(wanted)
        if self._checks_all:
            each_alone(wanted, _owe_all_gaps, of=attrgetter("relationship_id"))
        return rows


def _incomplete(wanted: Sequence[RelationshipConfig]) -> list[UUID]:
    """The relationships whose index lacks something, without those with an invalid configuration."""
    known = known_languages()
    languages = {each.relationship_id: _language(each, known) for each in wanted if each.retrieval}
    asked = {"ids": list(languages), "languages": list(languages.values())}
    return [relationship_id for (relationship_id,) in execute(_INCOMPLETE, asked)]


def _enqueue_gaps(wanted: Sequence[RelationshipConfig]) -> int:
    """Enqueue relationships where texts have no vector in the wanted space, for a worker to embed them."""
    enqueued = 0
    for each in wanted:
        if enqueued < TASKS_A_STEP and _has_gaps(each):
            with transaction.atomic():
                enqueue_embedding(each.relationship_id, project_id=each.project_id)
            enqueued += 1
    return enqueued


def _has_gaps(wanted: RelationshipConfig) -> bool:
    """Return whether there are gaps. False if the embedder can't work, which the worker notes on due texts."""
    if wanted.retrieval is None or (embedder := working_embedder(wanted.retrieval.embedder)) is None:
        return False
    return has_gaps(wanted.relationship_id, wanted.retrieval, embedder)


def _owe_all_gaps(wanted: RelationshipConfig) -> int:
    """Make all gaps due, for the sweep to enqueue, and return how many."""
    if wanted.retrieval is None or (embedder := working_embedder(wanted.retrieval.embedder)) is None:
        return 0
    owed = 0
    while some := owe_gaps(wanted.relationship_id, wanted.retrieval, embedder, anywhere=True):
        owed += some
    return owed


def _language(config: RelationshipConfig, known: frozenset[str]) -> str:
    """The language of new rows."""
    wanted = config.written_as.language
    return wanted if wanted in known else NO_STEMS


def _pieces(relationship_id: UUID, *, missing_only: bool) -> Iterator[int]:
    """Index piece by piece, newest first, entries before messages; yield how many."""
    known = known_languages() if missing_only else None
    for kind in (SearchedKind.ENTRY, SearchedKind.MESSAGE):
        before: Any = None
        while True:
            with transaction.atomic():
                config = lock_config(relationship_id)
                if config is None:
                    return
                language = None if known is None else _language(config, known)
                rows = _next(kind, relationship_id, before, missing_in=language)
                if not rows:
                    break
                index_again(config, kind, [row.id for row in rows], now=timezone.now())
            before = rows[-1].id if kind == SearchedKind.ENTRY else rows[-1].seq
            yield len(rows)


def _next(kind: SearchedKind, relationship_id: UUID, before: Any, *, missing_in: str | None) -> list[Any]:
    """The next rows below `before`; with `missing_in`, only those without an index row in that language."""
    rows: QuerySet[Any]
    if kind == SearchedKind.ENTRY:
        order, rows = "id", ScratchpadEntry.objects.for_relationship(relationship_id).only("id")
    else:
        messages = Message.objects.for_relationship(relationship_id)
        order, rows = "seq", messages.filter(erased_at=None, hidden_at=None).only("id", "seq")
    if before is not None:
        rows = rows.filter(**{f"{order}__lt": before})
    if missing_in is not None:
        indexed = SearchText.objects.for_relationship(relationship_id)
        rows = rows.filter(~Exists(indexed.filter(kind=kind, owner_id=OuterRef("id"), language=missing_in)))
    return list(rows.order_by(f"-{order}")[:ROWS_AT_ONCE])
