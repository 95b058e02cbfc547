"""Rewrite rows of the index whose words are not those that this version makes of their texts.

After an upgrade a worker goes through all of them, a few hundred at a time, until it finds no such row. The search
works meanwhile, but may miss a text by the words that changed.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from config.postgresql.sessions import execute
from memory.models import SearchedKind
from memory.retrieval.index.configs import lock_config
from memory.retrieval.index.language import known_languages
from memory.retrieval.index.rows import entry_words, spoken
from memory.retrieval.index.text import words_for_index
from memory.retrieval.index.write import index_again
from worker.failures import each_alone
from worker.models import PeriodicRun

ROWS_A_STEP = 500
AGAIN = timedelta(
    hours=1
)  # after a walk that found something: a process of the older version may still have written
_DONE = "words_"  # with the version: the row that says that all words are of it
_START = (UUID(int=0), "", UUID(int=0))

# Served by searchtext_once. Texts without a row, and rows without a text, are not its business.
_NEXT = """
SELECT s.relationship_id, s.kind, s.owner_id, e.content, e.happens_at,
       CASE WHEN m.erased_at IS NULL AND m.hidden_at IS NULL THEN m.content END
  FROM memory_searchtext s
  LEFT JOIN memory_scratchpadentry e
    ON s.kind = 'entry' AND e.relationship_id = s.relationship_id AND e.id = s.owner_id
  LEFT JOIN relationships_message m
    ON s.kind = 'message' AND m.relationship_id = s.relationship_id AND m.id = s.owner_id
 WHERE (s.relationship_id, s.kind, s.owner_id) > (%s, %s, %s)
 ORDER BY s.relationship_id, s.kind, s.owner_id LIMIT %s
"""
# This server makes no words in a language that it doesn't have, so such a row counts as wrong.
_OTHER = """
SELECT s.relationship_id, s.owner_id, s.kind
  FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::text[]) told (relationship_id, owner_id, kind, words)
  JOIN memory_searchtext s ON s.relationship_id = told.relationship_id AND s.kind = told.kind
   AND s.owner_id = told.owner_id
 WHERE s.lexemes IS DISTINCT FROM
       CASE WHEN s.language = ANY(%s) THEN to_tsvector(('pg_catalog.' || s.language)::regconfig, told.words) END
    OR s.length <> (SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(s.lexemes))
"""

Wording = tuple[UUID, UUID, str, str]  # relationship, owner, kind, and the words that the index should have


def with_other_words(told: Sequence[Wording]) -> list[tuple[UUID, UUID, str]]:
    """Relationship, owner and kind of the rows that have other words than these."""
    if not told:
        return []
    columns = [list(column) for column in zip(*told, strict=True)]
    return execute(_OTHER, [*columns, sorted(known_languages())])


class WordsWalk:
    """Goes through all rows of the index, a few per step, unless that was done for this version."""

    def __init__(self) -> None:
        self._after: tuple[UUID, str, UUID] = _START
        self._found = 0  # in this walk
        self._next_at: datetime | None = None  # of the next walk; None: as soon as possible
        self._done = False

    def step(self, now: datetime) -> int:
        """Check the next rows; return how many were rewritten."""
        if self._done or (self._next_at is not None and now < self._next_at):
            return 0
        if self._after == _START:
            self._found, self._done = 0, PeriodicRun.objects.filter(name=_name()).exists()
            if self._done:
                return 0
        rows = execute(_NEXT, [*self._after, ROWS_A_STEP])
        if not rows:
            self._end(now)
            return 0
        other: dict[tuple[UUID, str], list[UUID]] = defaultdict(list)
        for relationship_id, owner_id, kind in with_other_words(list(filter(None, map(_wording, rows)))):
            other[relationship_id, kind].append(owner_id)
        self._found += sum(map(len, other.values()))
        rewritten = each_alone(other.items(), partial(_rewrite, now), of=lambda item: item[0][0])
        self._after = rows[-1][:3]
        return rewritten

    def _end(self, now: datetime) -> None:
        self._after = _START
        if self._found:
            self._next_at = now + AGAIN
            return
        self._done = True
        with (
            transaction.atomic()
        ):  # only one version's: after going back to an older one, it goes through them again
            PeriodicRun.objects.filter(name__startswith=_DONE).delete()
            PeriodicRun.objects.create(name=_name(), next_at=now)


def _wording(row: tuple[Any, ...]) -> Wording | None:
    """The words that a row should have; None: its text is gone."""
    relationship_id, kind, owner_id, entry, happens_at, message = row
    if entry is None and message is None:
        return None
    words = entry_words(entry, happens_at) if entry is not None else words_for_index(spoken(message))
    return relationship_id, owner_id, kind, words


@transaction.atomic
def _rewrite(now: datetime, group: tuple[tuple[UUID, str], list[UUID]]) -> int:
    (relationship_id, kind), owner_ids = group
    config = lock_config(relationship_id)
    if config is None:
        return 0
    index_again(config, SearchedKind(kind), owner_ids, now=now)
    return len(owner_ids)


def _name() -> str:
    """Changes with all that words are made by: this code, Python's table of characters, and PostgreSQL."""
    [[server]] = execute("SHOW server_version_num")
    digest = sha256(f"{unicodedata.unidata_version} {server}".encode())
    for room in ("memory", "providers", "relationships"):
        for file in sorted((settings.BASE_DIR / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return f"{_DONE}{digest.hexdigest()[:16]}"
