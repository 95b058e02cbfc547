"""The packed index of long conversations must match the rows that it is packed from."""

from collections.abc import Sequence
from datetime import datetime

from memory.models import SearchSegment
from memory.retrieval.index.segments import MADE, pack_again
from upkeep.verification.invariant import Finding, Invariant, Problem, owner_of

OUT_OF_STEP = Problem(
    "out_of_step", "a segment of the index tells something else than the rows it was packed from"
)

_SEGMENTS = f"""
SELECT 'out_of_step', n.relationship_id, n.id, n.number::text
  FROM (SELECT id FROM relationships_relationship WHERE id = ANY(%(ids)s)) w
  JOIN memory_searchsegment n ON n.relationship_id = w.id
  LEFT JOIN LATERAL ({MADE}) made ON true
 WHERE (n.languages::text[], n.names, n.packed, n.lexemes)
       IS DISTINCT FROM (made.languages::text[], made.names, made.packed, made.lexemes)
"""  # noqa: S608 - our own statement


class SegmentsInvariant(Invariant):
    slug = "segments"
    promise = "A segment of the index says what its rows say, of messages that may be found and of no others."
    problems = (OUT_OF_STEP,)
    statements = (_SEGMENTS,)

    def repair(self, findings: Sequence[Finding], *, now: datetime) -> None:
        owner_id = owner_of(findings)
        rows = SearchSegment.objects.for_relationship(owner_id).filter(
            id__in=[one.row_id for one in findings]
        )
        pack_again(owner_id, list(rows.values_list("number", flat=True)))
