"""What large relationships have beside their rows: indexes of their own, and folds."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.models import DecayFold, IndexState, LargeIndex
from memory.retrieval.large.statements import PREFIX
from memory.verification.invariant import Finding, Invariant, Page, Problem, owner_of, rows

OF_NOTHING = Problem("fold_of_nothing", "a fold is of a vector that is not there")
OUT_OF_STEP = Problem(
    "fold_out_of_step", "a fold passes for fresh and was made from other values than its entry has"
)
NOT_THERE = Problem("index_not_there", "an index of a large relationship passes for ready, and is not there")

_FOLDS = """
SELECT f.relationship_id, f.id, v.id IS NULL
  FROM unnest(%(ids)s::uuid[]) w (id)
  JOIN memory_decayfold f ON f.relationship_id = w.id
  LEFT JOIN memory_embedding v ON v.relationship_id = w.id AND v.kind = 'entry' AND v.model = f.model
   AND v.dimensions = f.dimensions AND v.owner_id = f.owner_id
  LEFT JOIN memory_scratchpadentry e ON e.relationship_id = w.id AND e.id = f.owner_id
 WHERE v.id IS NULL OR e.id IS NULL
    OR NOT f.stale AND ((f.importance, f.effective_at) IS DISTINCT FROM (e.importance, e.effective_at)
                        OR vector_dims(f.vector) <> f.dimensions)
"""
_INDEXES = """
SELECT l.relationship_id, l.id FROM memory_largeindex l
 WHERE l.relationship_id = ANY(%(ids)s) AND l.state = 'ready' AND l.due_at IS NULL AND NOT EXISTS (
       SELECT FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
        WHERE c.relname = %(prefix)s || l.purpose || '_' || replace(l.id::text, '-', '')
          AND i.indisvalid AND pg_table_is_visible(c.oid))
"""


class LargeInvariant(Invariant):
    slug = "large"
    promise = (
        "A fold is fresh or marked stale, and of a vector that is there; an index that is ready is there."
    )

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, row_id, of_nothing in rows(_FOLDS, page):
            yield Finding(OF_NOTHING if of_nothing else OUT_OF_STEP, owner_id, row_id)
        for owner_id, row_id in rows(_INDEXES, page, prefix=PREFIX):
            yield Finding(NOT_THERE, owner_id, row_id)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Folds that nobody compares go, others are folded anew; indexes are made anew by the housekeeping."""
        owner_id = owner_of(findings)
        mine = {problem: [f.row_id for f in findings if f.problem == problem] for problem in _ALL}
        folds = DecayFold.objects.for_relationship(owner_id)
        folds.filter(id__in=mine[OF_NOTHING]).delete()
        folds.filter(id__in=mine[OUT_OF_STEP]).update(stale=True)
        indexes = LargeIndex.objects.for_relationship(owner_id).filter(id__in=mine[NOT_THERE])
        indexes.update(state=IndexState.WANTED, due_at=now)


_ALL = (OF_NOTHING, OUT_OF_STEP, NOT_THERE)
