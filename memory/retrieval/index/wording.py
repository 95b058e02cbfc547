"""Rewrite rows of the index whose words are not those that this version makes of their texts.

After an upgrade a worker goes through all of them, a few hundred at a time, until it finds no such row. The search
works meanwhile, but may miss a text by the words that changed.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from hashlib import sha256
from itertools import accumulate
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

ROWS_A_STEP, CHARACTERS_A_STEP = 500, 500_000  # other periodic tasks wait for a step
# After a walk that found something: a process of the older version may still have written.
AGAIN = timedelta(hours=1)
_WALK = "words_"  # with the version: the row that says how far its walk is
_START = {"after": [str(UUID(int=0)), "", str(UUID(int=0))], "found": 0}

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
    """Goes through all rows of the index, a few per step, unless that was done for this version. The database says how
    far it is, so all workers share one walk, and none is begun again when one restarts.
    """

    def __init__(self) -> None:
        self._done = False
        code_digest()

    def step(self, now: datetime) -> int:
        """Check the next rows; return how many were rewritten."""
        if self._done:
            return 0
        name = _name()
        run, _ = PeriodicRun.objects.get_or_create(name=name, defaults={"next_at": now, "place": _START})
        if run.place is None or now < run.next_at:
            self._done = run.place is None
            return 0
        rows = _first(execute(_NEXT, [*run.place["after"], ROWS_A_STEP]))
        other: dict[tuple[UUID, str], list[UUID]] = defaultdict(list)
        for relationship_id, owner_id, kind in with_other_words(list(filter(None, map(_wording, rows)))):
            other[relationship_id, kind].append(owner_id)
        rewritten = each_alone(other.items(), partial(_rewrite, now), of=lambda item: item[0][0])
        found = run.place["found"] + sum(map(len, other.values()))
        place, next_at = {**_START, "again": True} if found else None, now + AGAIN
        if rows:
            relationship_id, kind, owner_id = rows[-1][:3]
            after = [str(relationship_id), kind, str(owner_id)]
            place, next_at = {**run.place, "after": after, "found": found}, now
        mine = PeriodicRun.objects.filter(name=name, place=run.place)  # no other worker was faster
        self._done = bool(mine.update(place=place, next_at=next_at)) and place is None
        if self._done:  # after going back to an older version, it goes through them again
            PeriodicRun.objects.filter(name__startswith=_WALK).exclude(name=name).delete()
        return rewritten


def renewed_share() -> float:
    """The share of relationships that this version's first walk has been through, as their IDs are spread evenly."""
    run = PeriodicRun.objects.filter(name=_name()).first()
    if run is None or run.place is None or "again" in run.place:
        return float(run is not None)
    return UUID(run.place["after"][0]).int / 2**128


def _first(rows: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
    """As many as one step may read, but at least one."""
    characters = accumulate(sum(len(text) for text in (row[3], row[5]) if text) for row in rows)
    return rows[: max(1, sum(so_far <= CHARACTERS_A_STEP for so_far in characters))]


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
    version = f"{code_digest()} {unicodedata.unidata_version} {server}"
    return f"{_WALK}{sha256(version.encode()).hexdigest()[:16]}"


@cache
def code_digest() -> str:
    """Of the files as they are when a worker starts: they may be replaced while it runs."""
    digest = sha256()
    for room in ("memory", "providers", "relationships"):
        for file in sorted((settings.BASE_DIR / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()
