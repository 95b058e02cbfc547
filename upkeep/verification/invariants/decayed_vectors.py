"""The vectors of the ranker `decay`, held against what they were made from."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.models import DecayedVector
from upkeep.verification.invariant import Finding, Invariant, Page, Problem, owner_of, rows

OF_NOTHING = Problem("of_nothing", "a decayed vector is of a vector or an entry that is not there")
OUT_OF_STEP = Problem(
    "out_of_step", "a decayed vector passes for fresh and was made from other values than its entry has"
)

_WRONG = """
SELECT d.relationship_id, d.id, v.id IS NULL OR e.id IS NULL
  FROM unnest(%(ids)s::uuid[]) w (id)
  JOIN memory_decayedvector d ON d.relationship_id = w.id
  LEFT JOIN memory_embedding v ON v.relationship_id = w.id AND v.kind = 'entry' AND v.model = d.model
   AND v.dimensions = d.dimensions AND v.owner_id = d.owner_id
  LEFT JOIN memory_scratchpadentry e ON e.relationship_id = w.id AND e.id = d.owner_id
 WHERE v.id IS NULL OR e.id IS NULL
    OR NOT d.stale AND ((d.importance, d.effective_at) IS DISTINCT FROM (e.importance, e.effective_at)
                        OR vector_dims(d.vector) <> d.dimensions)
"""


class DecayedVectorsInvariant(Invariant):
    slug = "decayed_vectors"
    promise = "A decayed vector is fresh or marked stale, and of a vector that is there."

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        for owner_id, row_id, of_nothing in rows(_WRONG, page):
            yield Finding(OF_NOTHING if of_nothing else OUT_OF_STEP, owner_id, row_id)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        """Those that nobody compares go; others are made anew."""
        mine = DecayedVector.objects.for_relationship(owner_of(findings))
        mine.filter(id__in=[f.row_id for f in findings if f.problem == OF_NOTHING]).delete()
        mine.filter(id__in=[f.row_id for f in findings if f.problem == OUT_OF_STEP]).update(stale=True)
