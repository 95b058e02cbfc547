"""Walks all relationships, a few at a time, and mends the index of those where something is missing.

What was written before there was an index, or under another language or embedder, is found again without anybody
asking for it. Where nothing is missing a relationship costs a few index probes: pieces are always written from the
newest to the oldest (memory.retrieval.index.rebuild), so the ends tell of all.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from memory.retrieval.index.configs import RelationshipConfig, configs_of
from memory.retrieval.index.gaps import has_gaps
from memory.retrieval.index.rebuild import complete_index, known_languages, language_of
from providers.embeddings import Embedder, embedder_of
from providers.errors import ProviderError
from relationships.models import Relationship
from worker.housekeeping import Duty
from worker.nudge import nudge_embedding

RELATIONSHIPS_A_STEP = 200
ROWS_A_STEP = 2_000
NUDGES_A_STEP = 50

_INCOMPLETE = """
SELECT w.id FROM unnest(%(ids)s::uuid[], %(languages)s::text[]) AS w (id, language)
 WHERE EXISTS (
       SELECT FROM (
           (SELECT 'entry' AS kind, id FROM memory_scratchpadentry WHERE relationship_id = w.id
             ORDER BY id LIMIT 1)
           UNION ALL
           (SELECT 'entry', id FROM memory_scratchpadentry WHERE relationship_id = w.id
             ORDER BY id DESC LIMIT 1)
           UNION ALL
           (SELECT 'message', id FROM relationships_message
             WHERE relationship_id = w.id AND erased_at IS NULL ORDER BY seq LIMIT 1)
           UNION ALL
           (SELECT 'message', id FROM relationships_message
             WHERE relationship_id = w.id AND erased_at IS NULL ORDER BY seq DESC LIMIT 1)
       ) ends
        WHERE NOT EXISTS (
              SELECT FROM memory_searchtext s
               WHERE s.relationship_id = w.id AND s.kind = ends.kind AND s.owner_id = ends.id
                 AND s.language = w.language))
"""


def index_duties() -> list[Duty]:
    return [Duty("complete_index", 10, Backfill().step)]


class Backfill:
    """Remembers, between its steps, which relationship it saw last."""

    def __init__(self) -> None:
        self._after = UUID(int=0)

    def step(self, now: datetime) -> int:
        """Look at the next relationships. How many rows were written or relationships nudged."""
        ids = Relationship.objects.filter(id__gt=self._after).order_by("id").values_list("id", flat=True)
        wanted = configs_of(list(ids[:RELATIONSHIPS_A_STEP]))
        if not wanted:
            self._after = UUID(int=0)
            return 0
        rows = 0
        for relationship_id in _incomplete(wanted):
            rows += complete_index(relationship_id, most=ROWS_A_STEP - rows)
            if rows >= ROWS_A_STEP:
                return rows  # the next step sees these again, and goes on
        self._after = wanted[-1].relationship_id
        return rows + _nudge_gaps(wanted)


def _incomplete(wanted: Sequence[RelationshipConfig]) -> list[UUID]:
    """Those whose index lacks something. A wrong configuration has to be mended first."""
    known = known_languages()
    languages = {
        each.relationship_id: language_of(each.retrieval, known) for each in wanted if each.retrieval
    }
    with connection.cursor() as cursor:
        cursor.execute(_INCOMPLETE, {"ids": list(languages), "languages": list(languages.values())})
        return [row[0] for row in cursor.fetchall()]


def _nudge_gaps(wanted: Sequence[RelationshipConfig]) -> int:
    """Have a worker look where texts have no vector in the wanted space. It owes them, and embeds them."""
    nudged = 0
    for each in wanted:
        embedder = _embedder(each)
        if each.retrieval and embedder and has_gaps(each.relationship_id, each.retrieval, embedder):
            with transaction.atomic():
                nudge_embedding(each.relationship_id, project_id=each.project_id)
            nudged += 1
            if nudged == NUDGES_A_STEP:
                break
    return nudged


def _embedder(wanted: RelationshipConfig) -> Embedder | None:
    """None also where it can't work: the worker says so on the texts that are due."""
    try:
        return embedder_of(wanted.retrieval) if wanted.retrieval else None
    except ProviderError:
        return None
