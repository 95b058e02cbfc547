"""The vectors must match the texts that they were made from."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from config.postgresql.sessions import execute
from memory.retrieval.index.configs import config_of, configs_of
from memory.retrieval.index.rows import owing_kinds
from memory.retrieval.index.text import text_hash
from providers.embeddings.registry import working_embedder
from upkeep.verification.invariant import Finding, Invariant, Page, Problem
from worker.enqueue import enqueue_embedding
from worker.fairness import project_of

GAP = Problem("gap", "a text has no vector, owes none, and stands where nobody looks for gaps")

_NOTHING = text_hash("")
# How far the length of a unit vector of 4,000 half-precision numbers may be from 1.
_TOLERANCE = 0.02

_VECTORS = """
SELECT CASE WHEN s.id IS NULL OR s.text_hash <> v.text_hash THEN 'stale' ELSE 'misshapen' END,
       v.relationship_id, v.id, ''
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN memory_embedding v ON v.relationship_id = w.id
  LEFT JOIN memory_searchtext s ON s.relationship_id = w.id AND s.kind = v.kind AND s.owner_id = v.owner_id
 WHERE s.id IS NULL OR s.text_hash <> v.text_hash OR vector_dims(v.vector) <> v.dimensions
    OR NOT l2_norm(v.vector) BETWEEN 1 - %(tolerance)s AND 1 + %(tolerance)s
"""
# Gaps at the ends of a relationship's texts are found by the housekeeping (memory.retrieval.index.gaps), and are not
# wrong while it fills them. But nothing else finds a gap between texts that have vectors.
_GAPS = """
WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(%(owners)s::uuid[], %(messages)s::boolean[], %(models)s::text[], %(dimensions)s::int[])
        AS w (id, messages, model, dimensions)
), texts AS (
    SELECT s.relationship_id AS id, s.id AS row_id, s.kind, NOT EXISTS (
           SELECT 1 FROM memory_embedding v
            WHERE v.relationship_id = s.relationship_id AND v.kind = s.kind AND v.model = w.model
              AND v.dimensions = coalesce(w.dimensions, v.dimensions) AND v.owner_id = s.owner_id) AS without,
           s.place, s.owner_id
      FROM wanted w JOIN memory_searchtext s ON s.relationship_id = w.id
     WHERE (s.kind = 'entry' OR w.messages) AND s.due_at IS NULL AND s.error_code = ''
       AND s.state NOT IN ('deleted', 'skipped') AND s.text_hash <> %(nothing)s
), ends AS (
    SELECT *, first_value(without) OVER up OR first_value(without) OVER down AS at_an_end FROM texts
    WINDOW up AS (PARTITION BY id, kind ORDER BY place, owner_id),
           down AS (PARTITION BY id, kind ORDER BY place DESC, owner_id DESC)
)
SELECT 'gap', id, row_id, '' FROM (SELECT *, bool_or(at_an_end) OVER (PARTITION BY id) AS being_filled FROM ends) e
 WHERE without AND NOT being_filled
"""
_DROP = """
WITH dropped AS (
    DELETE FROM memory_embedding WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s) RETURNING kind, owner_id
)
UPDATE memory_searchtext s SET due_at = %(now)s, attempts = 0, error_code = ''
  FROM dropped d
 WHERE s.relationship_id = %(owner)s AND s.kind = d.kind AND s.owner_id = d.owner_id AND s.due_at IS NULL
   AND s.state NOT IN ('deleted', 'skipped') AND s.kind = ANY(%(kinds)s)
"""
_OWE = """
UPDATE memory_searchtext SET due_at = %(now)s, attempts = 0
 WHERE relationship_id = %(owner)s AND id = ANY(%(rows)s)
"""


class VectorsInvariant(Invariant):
    """Checked after the index, which has the texts."""

    slug = "vectors"
    promise = "A vector is of its owner's present text and of its space's shape; a text without one owes it."

    problems = (
        Problem("stale", "a vector is of another text than its entry or message has now, or of nothing"),
        Problem("misshapen", "a vector has not the dimensions or the length of its space"),
        GAP,
    )
    statements = (_VECTORS, _GAPS)

    def told(self, page: Page, *, now: datetime) -> dict[str, Any]:
        """The relationships whose texts should have vectors, and in which space."""
        wanted = [
            (each.relationship_id, each.retrieval.embed_messages, embedder.model, embedder.dimensions)
            for each in configs_of(page.ids)
            if each.retrieval is not None and (embedder := working_embedder(each.retrieval.embedder))
        ]
        names = ("owners", "messages", "models", "dimensions")
        columns = {name: [row[place] for row in wanted] for place, name in enumerate(names)}
        return {**columns, "nothing": _NOTHING, "tolerance": _TOLERANCE}

    def repair(self, owner_id: Any, findings: Sequence[Finding], *, now: datetime) -> None:
        """Delete wrong vectors, mark all texts without one as owed, and enqueue a task."""
        wanted = config_of(owner_id)
        kinds = owing_kinds(wanted.retrieval) if wanted and wanted.retrieval else []
        gaps = [finding.row_id for finding in findings if finding.problem == GAP]
        wrong = [finding.row_id for finding in findings if finding.problem != GAP]
        execute(_DROP, {"owner": owner_id, "rows": wrong, "now": now, "kinds": kinds})
        execute(_OWE, {"owner": owner_id, "rows": gaps, "now": now})
        enqueue_embedding(owner_id, project_id=project_of(owner_id))
